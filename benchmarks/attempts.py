"""A domain's other attempts at recorded cases, played against a world mined from one conversation a case.

That is the setting of training. Of each case one recorded conversation, chosen by the hash of its id, is the log; every
other attempt at the case is made again, call by call, in a session anchored to that conversation. Which tools write is
read from NAME.writes.json, here alone: the product never sees it.
"""

import hashlib
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import orjson

from agent_gym.corpus import Corpus
from agent_gym.fidelity.compare import compared
from agent_gym.fidelity.tools import Answerer
from agent_gym.text import canonical, parsed
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import Recorded, recorded_calls
from agent_gym.types import Json, Trace
from benchmarks.coherence import Told
from benchmarks.sources import case_of, load

__all__ = ["FEWEST", "Answered", "Domain", "measure", "one_of_each_case"]

FEWEST = 10  # attempts to play; with fewer a domain tells nothing


@dataclass(frozen=True, slots=True)
class Answered:
    """One call of another attempt: what the mined tools and the real ones told, and how the two compare."""

    mined: Told
    real: Told
    source: str
    exact: bool
    cassette: bool
    knowable: bool
    read_after_write: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Domain:
    """What each attempt was answered, by case; the calls of the log, and the processor time of mining them."""

    name: str
    cases: Mapping[str, Sequence[Sequence[Answered]]]
    log_calls: int
    mining_seconds: float

    @property
    def rows(self) -> list[Answered]:
        return [row for talks in self.cases.values() for talk in talks for row in talk]


@dataclass(frozen=True, slots=True)
class Record:
    """What the log tells at once: the commonest answer of every call, and each value in a call or an answer."""

    commonest: Mapping[tuple[str, bytes], bytes]
    values: frozenset[bytes]

    @classmethod
    def of(cls, calls: Iterable[Recorded]) -> Self:
        answers: dict[tuple[str, bytes], Counter[bytes]] = {}
        values: set[bytes] = set()
        for call in calls:
            answers.setdefault((call.name, call.key), Counter())[canonical(call.result)] += 1
            values.update(_leaves(call.result), _leaves(call.arguments))
        return cls({call: told.most_common(1)[0][0] for call, told in answers.items()}, frozenset(values))


def measure(folder: Path, name: str) -> Domain | None:
    """None where there are too few attempts to play."""
    writing = frozenset(orjson.loads((folder / f"{name}.writes.json").read_bytes()))
    log, others = one_of_each_case(load(folder, name))
    if sum(map(len, others.values())) < FEWEST:
        return None
    corpus = Corpus(log.values())
    started = time.process_time()
    mocker = ToolMocker.fit(corpus)
    mining = time.process_time() - started
    calls = [call for trace in log.values() for call in recorded_calls(trace)]
    record = Record.of(calls)

    def played(case: str, trace: Trace) -> list[Answered]:
        return list(_played(trace, mocker.session(log[case].conversation_id), record, writing))

    answered = {case: [played(case, trace) for trace in traces] for case, traces in others.items()}
    return Domain(name, answered, len(calls), mining)


def one_of_each_case(traces: Iterable[Trace]) -> tuple[dict[str, Trace], dict[str, list[Trace]]]:
    """case → the conversation that is the log's, and case → the other attempts at it, if there are any."""
    cases: dict[str, list[Trace]] = {}
    for trace in traces:
        cases.setdefault(case_of(trace), []).append(trace)
    log = {case: min(some, key=_lot) for case, some in cases.items()}
    return log, {case: [t for t in some if t is not log[case]] for case, some in cases.items() if len(some) > 1}


def _played(trace: Trace, session: Answerer, record: Record, writing: Collection[str]) -> Iterator[Answered]:
    said, wrote = set(record.values), False
    marks = [message.is_error for _, message in trace.calls() if message is not None]
    for call, marked in zip(recorded_calls(trace), marks, strict=True):
        started = time.perf_counter()
        answer = session.call(call.name, call.arguments)
        seconds = time.perf_counter() - started
        said.update(_leaves(call.arguments))
        exact, writes = compared(answer, call).exact, call.name in writing
        yield Answered(
            mined=Told(call.arguments, parsed(answer.result), answer.is_error, writes),
            real=Told(call.arguments, call.result, call.is_error, writes),
            source=answer.source,
            exact=exact,
            cassette=record.commonest.get((call.name, call.key)) == canonical(call.result),
            knowable=exact or said.issuperset(_leaves(call.result)),
            read_after_write=wrote and not writes,
            seconds=seconds,
        )
        wrote = wrote or (writes and not (marked or _tells_an_error(call.result)))


def _lot(trace: Trace) -> str:
    return hashlib.sha256(trace.conversation_id.encode()).hexdigest()


def _tells_an_error(result: Json) -> bool:
    """Not the product's own reading of a result, which is part of what is measured."""
    if isinstance(result, str):
        return result.lower().startswith("error")
    return isinstance(result, Mapping) and bool(result.get("error"))


def _leaves(value: Json) -> Iterator[bytes]:
    value = parsed(value)
    if isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(inner)
    else:
        yield canonical(value)
