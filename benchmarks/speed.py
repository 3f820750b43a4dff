"""Prints what the parts cost: mining, opening a session, one tool answer, one step of an episode.

    python -m benchmarks.speed [--traces DIR]

Times are of one process on whatever machine this is; compare them within one run.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from agent_gym.corpus import Corpus
from agent_gym.environment import create_environment, play
from agent_gym.sample import POLICY, generate
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import recorded_calls
from agent_gym.types import Trace
from benchmarks.sources import arguments, load, traces_folder


def main() -> None:
    folder = traces_folder(arguments("What do the parts cost?").parse_args().traces)
    sample = [conversation.trace for conversation in generate()]
    tools("sample business", sample)
    if folder is not None:
        tools("retail_c", load(folder, "retail_c"))
    growth(sample)
    episodes(sample[:200])


def tools(name: str, traces: Sequence[Trace]) -> None:
    """Mining, then every recorded call asked again: in its own case, and free."""
    mocker, fitted = timed(lambda: ToolMocker.fit(Corpus(traces)))
    calls = [(trace.conversation_id, recorded_calls(trace)) for trace in traces]
    print(f"{name}: {len(traces)} conversations, {sum(len(c) for _, c in calls)} calls, mined in {fitted:.1f} s")
    for kind in ("anchored", "free"):
        opened, answered = [], []
        for conversation_id, asked in calls:
            session, seconds = timed(partial(mocker.session, conversation_id if kind == "anchored" else None))
            opened.append(seconds)
            answered += [timed(partial(session.call, call.name, call.arguments))[1] for call in asked]
        print(f"  {kind:9} session opens in {microseconds(opened)}, answers in {microseconds(answered)}")


def growth(traces: Sequence[Trace]) -> None:
    """Does mining grow with the calls, or faster?"""
    base = len(traces) // 16
    for times in (1, 4, 16):
        part = traces[: base * times]
        calls = sum(len(recorded_calls(trace)) for trace in part)
        _, seconds = timed(partial(ToolMocker.fit, Corpus(part)))
        print(f"mining {times:2} x: {calls:6} calls in {seconds:6.2f} s, {1e3 * seconds / calls:.2f} ms a call")


def episodes(traces: Sequence[Trace]) -> None:
    """Whole episodes with the agenda customer and the embedded agent."""
    environment = create_environment(traces, agent="embedded", policy=POLICY)
    playable = [scenario for scenario in environment.scenarios("train") if scenario.scorable][:40]
    rollouts, seconds = timed(
        lambda: [play(environment.episode(s.conversation_id), environment.agent) for s in playable]
    )
    steps = sum(message.trainable for rollout in rollouts for message in rollout.messages)
    print(f"{len(rollouts)} episodes, {steps} steps by the embedded agent: {steps / seconds:.0f} steps a second")


T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def microseconds(seconds: Sequence[float]) -> str:
    return f"{1e6 * statistics.median(seconds):.0f} µs median, {1e6 * statistics.mean(seconds):.0f} µs mean"


if __name__ == "__main__":
    main()
