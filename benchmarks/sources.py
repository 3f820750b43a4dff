"""Where the benchmarks' conversations come from, and how they are split into what is learned from and what is asked.

Public traces are found with `--traces DIR`, or in a folder `shared/traces` beside the checkout; domains that nobody
tuned on with `--domains DIR`, or in `shared/domains`. Truth files (`NAME.truth.jsonl.gz`) are read here alone, to
choose splits and to measure; the product never sees them.
"""

import argparse
import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from agent_gym.sample import SKILLS, generate, play
from agent_gym.trace_parser import read_traces
from agent_gym.types import Trace

__all__ = ["Split", "arguments", "by_run", "case_of", "domains_folder", "load", "sample_split", "traces_folder"]

_BESIDE = Path(__file__).resolve().parents[2] / "shared"


@dataclass(frozen=True, slots=True)
class Split:
    """`anchored`: the asked conversations are played in a recorded case, as episodes are."""

    name: str
    train: list[Trace]
    test: list[Trace]
    anchored: bool = False
    known_tools_only: bool = False

    def anchor(self) -> Callable[[Trace], str | None]:
        if not self.anchored:
            return lambda _: None
        cases: dict[str, str] = {}
        for trace in self.train:
            cases.setdefault(case_of(trace), trace.conversation_id)
        return lambda trace: cases.get(case_of(trace))


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--traces", type=Path, default=None, help="folder of NAME.jsonl.gz files")
    return parser


def traces_folder(given: Path | None) -> Path | None:
    """The folder of public traces, or None: then only the sample business is measured."""
    folder = given or _BESIDE / "traces"
    return folder if folder.is_dir() else None


def domains_folder(given: Path | None) -> Path | None:
    """The folder of domains, or None: then there is nothing to measure."""
    folder = given or _BESIDE / "domains"
    return folder if folder.is_dir() else None


def case_of(trace: Trace) -> str:
    return str(trace.metadata.get("task_id", trace.conversation_id))


def load(folder: Path, name: str) -> list[Trace]:
    return read_traces(folder / f"{name}.jsonl.gz")


def rewards(folder: Path, name: str) -> dict[str, float]:
    with gzip.open(folder / f"{name}.truth.jsonl.gz") as lines:
        rows = [orjson.loads(line) for line in lines]
    return {row["conversation_id"]: float(row["reward"] or 0) for row in rows}


def by_run(traces: Iterable[Trace]) -> dict[str, list[Trace]]:
    runs: dict[str, list[Trace]] = {}
    for trace in traces:
        runs.setdefault(trace.metadata["run"], []).append(trace)
    return runs


def _strength(runs: Mapping[str, list[Trace]], reward: Mapping[str, float]) -> dict[str, float]:
    return {run: sum(reward[t.conversation_id] for t in traces) / len(traces) for run, traces in runs.items()}


def weakest_run(folder: Path, name: str) -> Split:
    """One conversation per case, by the weakest of the large runs; every other agent then acts in those cases."""
    traces, reward = load(folder, name), rewards(folder, name)
    runs = by_run(traces)
    largest = max(len(run) for run in runs.values())
    strength = _strength(runs, reward)
    weakest = min((r for r in runs if len(runs[r]) >= 0.8 * largest), key=lambda r: (strength[r], r))
    rest = [trace for trace in traces if trace.metadata["run"] != weakest]
    return Split(f"{name}: the weakest run → all others", runs[weakest], rest, anchored=True)


def weaker_half(folder: Path, name: str) -> Split:
    """The weaker runs, until they hold half of the conversations; the stronger ones are asked."""
    traces, reward = load(folder, name), rewards(folder, name)
    runs = by_run(traces)
    strength = _strength(runs, reward)
    weak: set[str] = set()
    for run in sorted(runs, key=lambda r: (strength[r], r)):
        if sum(len(runs[r]) for r in weak) + len(runs[run]) > len(traces) / 2:
            break
        weak.add(run)
    train = [trace for trace in traces if trace.metadata["run"] in weak]
    test = [trace for trace in traces if trace.metadata["run"] not in weak]
    return Split(f"{name}: the weaker half of the runs → the stronger", train, test, anchored=True)


def held_out(folder: Path, names: Iterable[str], by: Callable[[Trace], str], what: str) -> Split:
    """A quarter held out: sha256 of the id, modulo 4, is 0."""
    traces = [trace for name in names for trace in load(folder, name)]
    test = [trace for trace in traces if _hash(by(trace)) % 4 == 0]
    train = [trace for trace in traces if _hash(by(trace)) % 4 != 0]
    return Split(f"{'+'.join(names)}: a quarter of the {what} held out", train, test)


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def sample_split(conversations: int = 640, asked: int = 320) -> Split:
    """The sample business's log, one conversation a case; then other agents act in the same cases.

    In each of the first `asked` cases the agents of every other skill (more careful, sloppier, quicker to act or to
    hand over) are played against the same customer and a fresh copy of the real backend: they look at other things, in
    another order, make other choices, and what the backend tells them is the truth. Nothing of it is chosen by what
    the log shows: of a record that the log's agent never opened, no answer can be known.
    """
    played = generate(0, conversations)
    test = []
    for conversation in played[:asked]:
        for skill in SKILLS:
            if skill != conversation.skill:
                trace = play(conversation.case, skill, seed=1).trace
                test.append(replace(trace, metadata={**trace.metadata, "task_id": trace.conversation_id}))
    train = [conversation.trace for conversation in played]
    return Split("sample business: one log → agents that leave its path", train, test, anchored=True)
