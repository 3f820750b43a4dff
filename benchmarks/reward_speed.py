"""Prints how many conversations and replies are scored in a second, beside a bare loop of a string comparison.

python -m benchmarks.reward_speed [--traces DIR]

One process, no model, seconds of its CPU. Nothing is kept of a conversation that was scored, only of its reference. A
reply is compared with a reference that seven other replies are compared with, and, below, with one of its own.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rapidfuzz import fuzz

from agent_gym.corpus import Corpus, succeeded
from agent_gym.reward import RewardFunction
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Trace
from benchmarks.sources import arguments, case_of, load, sample_split, traces_folder

_GROUP = 8
_PAIRS = 4000


def main() -> None:
    folder = traces_folder(arguments("How fast is the reward?").parse_args().traces)
    for name, train, asked in _sources(folder):
        corpus = Corpus(train)
        measure(name, RewardFunction.fit(corpus, ToolMocker.fit(corpus)), asked)


def _sources(folder: Path | None) -> Iterator[tuple[str, list[Trace], list[tuple[Trace, str]]]]:
    """Name, what is built from, and the conversations to score with the success each is held against."""
    split = sample_split()
    yield "sample business", split.train, _beside(_successes(split.train), split.test)
    if folder is not None:
        traces = load(folder, "retail_c")
        known = _successes(traces)
        train = [trace for trace in traces if known.get(case_of(trace)) == trace.conversation_id]
        yield "retail_c", train, _beside(known, [trace for trace in traces if trace not in train])


def _successes(traces: Sequence[Trace]) -> dict[str, str]:
    """A success of each case."""
    return {case_of(trace): trace.conversation_id for trace in reversed(traces) if succeeded(trace)}


def _beside(successes: Mapping[str, str], asked: Sequence[Trace]) -> list[tuple[Trace, str]]:
    return [(trace, successes[case_of(trace)]) for trace in asked if case_of(trace) in successes]


def measure(name: str, reward: RewardFunction, asked: Sequence[tuple[Trace, str]]) -> None:
    talks = [trace.messages for trace, _ in asked]
    references = [reference for _, reference in asked]
    length = sum(map(len, talks)) / len(talks)
    reward.score_many(talks, references)  # the references become known
    _row(f"{name}: conversations of {length:.0f} messages", len(talks), lambda: reward.score_many(talks, references))
    _row(
        f"{name}: the same, with their reasons",
        len(talks),
        lambda: [score.explanation for score in reward.score_many(talks, references)],
    )
    replies = list(dict.fromkeys(m.text for talk in talks for m in talk if m.role == "assistant" and m.text))[:_PAIRS]
    words = sum(len(text.split()) for text in replies) / len(replies)
    shared = [replies[i - i % _GROUP] for i in range(len(replies))]
    _row(
        f"{name}: replies of {words:.0f} words, {_GROUP} to a reference",
        len(replies),
        lambda: reward.score_replies([f"{text} " for text in replies], shared),
    )
    own = [f"{text}  " for text in reversed(replies)]
    _row(
        f"{name}: replies, each with a reference of its own",
        len(replies),
        lambda: reward.score_replies([f" {text}" for text in replies], own),
    )
    _row(
        "  rapidfuzz token_set_ratio, for comparison",
        len(replies),
        lambda: [fuzz.token_set_ratio(a, b) for a, b in zip(replies, shared, strict=True)],
    )


def _row(name: str, count: int, work: Callable[[], object]) -> None:
    started = time.process_time()
    work()
    print(f"{name:<62} {count / (time.process_time() - started):>10,.0f} /s")


if __name__ == "__main__":
    main()
