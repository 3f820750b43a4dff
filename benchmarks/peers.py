"""Prints our tool answers beside those of another package that makes a world of traces: how many are as recorded, and
how fast they come.

    pip install whileai && python -m benchmarks.peers [--traces DIR]

Both get the same traces, tools and calls, in one process and one run; every call goes to the one and then to the other.
whileai's world is made as its `simulate(traces=)` makes it, and its answer counts as recorded if the whole of it is, or
what it holds under `data`. Times are of the processor; a world is opened once for each conversation, answers are timed
apart from that.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.adapters.chat import chat_messages, chat_tools
from agent_gym.corpus import Corpus
from agent_gym.sample import generate
from agent_gym.text import parsed, same
from agent_gym.tool_mocker import ToolMocker, ToolSession
from agent_gym.tool_mocker.log import Recorded, recorded_calls
from agent_gym.types import Json, Trace
from benchmarks.sources import arguments, load, traces_folder

_FILES = ("retail_a", "apibank", "stateful_apis_scripted")
_MOST_CALLS = 3000
_HELD_OUT = 5  # every fifth conversation

World = Callable[[str, Mapping[str, Json]], Json]  # one conversation's tools: a call in, its answer out
Maker = Callable[[Trace], World]


@dataclass(slots=True)
class Tally:
    """What one package did with the calls."""

    made: Maker
    calls: int = 0
    right: int = 0
    answering: float = 0.0  # seconds
    opening: float = 0.0
    worlds: int = 0

    def opened(self, trace: Trace) -> World:
        started = time.process_time()
        world = self.made(trace)
        self.opening += time.process_time() - started
        self.worlds += 1
        return world

    def ask(self, world: World, call: Recorded) -> None:
        started = time.process_time()
        answer = world(call.name, call.arguments)
        self.answering += time.process_time() - started
        self.calls += 1
        inner = answer.get("data") if isinstance(answer, Mapping) else None
        self.right += same(parsed(answer), call.result) or same(inner, call.result)

    @property
    def rate(self) -> float:
        return self.right / self.calls

    @property
    def speed(self) -> float:
        return self.calls / self.answering

    @property
    def opens_in(self) -> float:
        """Milliseconds."""
        return 1e3 * self.opening / self.worlds


def main() -> None:
    folder = traces_folder(arguments("Our tools beside another package's").parse_args().traces)
    measure("sample business", [conversation.trace for conversation in generate()])
    if folder is not None:
        for name in _FILES:
            measure(name, load(folder, name))


def measure(name: str, traces: Sequence[Trace]) -> None:
    kept = [trace for at, trace in enumerate(traces) if at % _HELD_OUT]
    unseen = [trace for at, trace in enumerate(traces) if not at % _HELD_OUT]
    mocker = ToolMocker.fit(Corpus(kept))
    theirs = whileai_worlds(kept, mocker)
    print(f"\n{name}: {len(kept)} conversations learned from")
    print(f"  {'':26}{'':>7}{'as recorded':>21}{'answers a second':>22}{'a world opens in (ms)':>25}")
    print(f"  {'':26}{'calls':>7}{'ours':>10}{'whileai':>11}{'ours':>11}{'whileai':>11}{'ours':>13}{'whileai':>12}")
    own = _anchored(mocker)
    free, again = _free(mocker), "the same, a second time"
    rows = (("their own calls", kept, own), (again, kept, own), ("unseen calls", unseen, free), (again, unseen, free))
    for label, conversations, made in rows:
        ours, other = Tally(made), Tally(theirs)
        compare(ours, other, conversations)
        rates, speeds = f"{ours.rate:>10.1%}{other.rate:>11.1%}", f"{ours.speed:>11,.0f}{other.speed:>11,.0f}"
        opening = f"{ours.opens_in:>13.2f}{other.opens_in:>12.2f}"
        print(f"  {label:26}{ours.calls:>7,}{rates}{speeds}{opening}", flush=True)


def compare(ours: Tally, other: Tally, traces: Iterable[Trace]) -> None:
    """Every recorded call, in the worlds of its conversation."""
    for trace in traces:
        if ours.calls >= _MOST_CALLS:
            return
        calls = recorded_calls(trace)
        worlds = [(tally, tally.opened(trace)) for tally in (ours, other)] if calls else []
        for call in calls:
            for tally, world in worlds:
                tally.ask(world, call)


def _anchored(mocker: ToolMocker) -> Maker:
    """Sessions in a recorded case. As in an Environment, one that nobody calls keeps what is read off the case."""
    at_hand: dict[str, ToolSession] = {}

    def made(trace: Trace) -> World:
        session = mocker.session(trace.conversation_id)
        at_hand.setdefault(trace.conversation_id, mocker.session(trace.conversation_id))
        return session

    return made


def _free(mocker: ToolMocker) -> Maker:
    return lambda _: mocker.session()


def whileai_worlds(traces: Sequence[Trace], mocker: ToolMocker) -> Maker:
    """Its own reading of the traces and the shapes it mines there; the tools' schemas are ours."""
    from whileai.simulations.ingest.traces import (  # noqa: PLC0415  not one of our dependencies
        exemplar_result_shapes,
        load_traces,
        mine_result_exemplars,
    )
    from whileai.simulations.world.sandbox import MockEnvironment  # noqa: PLC0415

    rows = load_traces([{"messages": chat_messages(trace.messages)} for trace in traces])
    shapes = exemplar_result_shapes(mine_result_exemplars(rows))
    tools = chat_tools(mocker.tools)
    return lambda _: MockEnvironment(tools, result_shapes=shapes).call


if __name__ == "__main__":
    main()
