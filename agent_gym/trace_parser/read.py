"""A path, or traces and dicts in memory, in; traces out, and every record that could not be used, with its reason.

`read_traces` is for who wants the traces or an error, `parse` for who wants the traces and the rejects, `stream`
for who does not want them all in memory.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TypeAlias

from agent_gym.errors import TraceError
from agent_gym.trace_parser.decode import decoded
from agent_gym.trace_parser.envelope import Record
from agent_gym.trace_parser.files import files_of
from agent_gym.trace_parser.known import Known
from agent_gym.trace_parser.memory import given
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.record import trace_of
from agent_gym.trace_parser.repairs import Reject, Repairs
from agent_gym.trace_parser.settle import settled
from agent_gym.trace_parser.source import read_source
from agent_gym.types import Trace, TraceLike

__all__ = ["Parsed", "TraceSource", "parse", "read_traces", "stream"]

TraceSource: TypeAlias = str | PathLike[str] | TraceLike | Iterable[TraceLike]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What came of a source. `read` = `accepted` + `rejected`: nothing is lost."""

    traces: tuple[Trace, ...]
    rejects: tuple[Reject, ...]
    repairs: Mapping[str, int]  # how often each was made in this reading; `REPAIRS` says what they mean

    @property
    def accepted(self) -> int:
        return len(self.traces)

    @property
    def rejected(self) -> int:
        return len(self.rejects)

    @property
    def read(self) -> int:
        return self.accepted + self.rejected


def read_traces(source: TraceSource, *, rejects: list[Reject] | None = None) -> list[Trace]:
    """The conversations of a file (JSON, JSONL, gz of either), or of dicts and traces in memory.

    A record that cannot be used raises `TraceError`. With a list as `rejects` such records are appended to it
    instead, and the good ones are returned; it then raises only if no record at all can be used.
    """
    reading = parse(source)
    if rejects is not None:
        rejects += reading.rejects
    if reading.rejects and (rejects is None or not reading.traces):
        raise _refusal(reading)
    return list(reading.traces)


def parse(source: TraceSource) -> Parsed:
    """The traces and the rejects. Raises `TraceError` only for a source that cannot be read or holds no record."""
    repairs: Counter[str] = Counter()
    traces: list[Trace] = []
    rejects: list[Reject] = []
    for item in stream(source, repairs=repairs):
        if isinstance(item, Trace):
            traces.append(item)
        else:
            rejects.append(item)
    return Parsed(tuple(traces), tuple(rejects), dict(sorted(repairs.items())))


def stream(source: TraceSource, *, repairs: Counter[str] | None = None) -> Iterator[Trace | Reject]:
    """Every record as a trace or a reject, in order, as it is read; `repairs` is added to on the way."""
    if isinstance(source, str | PathLike):
        yield from _of_path(fspath(source), repairs)
        return
    known = Known()
    for record in given(source):
        if isinstance(record, Reject):
            yield record
            continue
        notes = Repairs(record.source, record.line, f"record {record.number}: " if record.number else "")
        raw = record.raw if isinstance(record, Record) else b""
        try:
            trace = (
                trace_of(decoded(raw, notes), raw, notes)
                if isinstance(record, Record)
                else settled(record.trace, notes)
            )
            trace = known.once(trace, raw, notes)
        except TraceError as error:
            yield Reject.of(error, raw)
            continue
        if repairs is not None and notes.counts:
            repairs.update(notes.counts)
        yield trace


def _of_path(path: str, repairs: Counter[str] | None) -> Iterator[Trace | Reject]:
    """A source that is a single file is an error where it cannot be read at all."""
    reading = Reading()
    only = len(list(files_of(path))) == 1
    for item in read_source(path, reading=reading):
        if only and isinstance(item, Reject) and item.line is None and reading.read == item.records:
            raise item.error()
        yield item
    if repairs is not None:
        repairs.update(reading.repairs)


def _refusal(reading: Parsed) -> TraceError:
    first = reading.rejects[0]
    reason, hints = first.reason, [first.fix] if first.fix else []
    if reading.rejected > 1:
        reason += f"; {reading.rejected - 1} more of {reading.read} records cannot be used"
    if reading.traces:
        hints.append(f"pass rejects=[] to read the other {reading.accepted}")
    return replace(first, reason=reason, fix="; ".join(hints)).error()
