"""A path, or traces and dicts in memory, in; traces out, and every record that could not be used, with its reason.

`read_traces` is for who wants the traces or an error, `parse` for who wants the traces and the rejects, `stream`
for who does not want them all in memory.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import NamedTuple, TypeAlias

from pydantic_core import ValidationError

from agent_gym.errors import TraceError
from agent_gym.trace_parser.decode import check_depth, decoded, may_be_deep
from agent_gym.trace_parser.envelope import Record, records
from agent_gym.trace_parser.memory import given
from agent_gym.trace_parser.repairs import Reject, Repairs
from agent_gym.trace_parser.schema import strict_trace, why_not
from agent_gym.trace_parser.settle import settled
from agent_gym.trace_parser.shape import shaped
from agent_gym.types import Json, Trace, TraceLike

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
    known: dict[str, _Seen] = {}
    for record in records(fspath(source)) if isinstance(source, str | PathLike) else given(source):
        if isinstance(record, Reject):
            yield record
            continue
        notes = Repairs(record.source, record.line, f"record {record.number}: " if record.number else "")
        raw = record.raw if isinstance(record, Record) else b""
        try:
            trace = _trace(raw, notes) if isinstance(record, Record) else settled(record.trace, notes)
            trace = _once(trace, raw, known, notes)
        except TraceError as error:
            yield Reject.of(error, raw)
            continue
        if repairs is not None and notes.counts:
            repairs.update(notes.counts)
        yield trace


def _refusal(reading: Parsed) -> TraceError:
    first = reading.rejects[0]
    reason, hints = first.reason, [first.fix] if first.fix else []
    if reading.rejected > 1:
        reason += f"; {reading.rejected - 1} more of {reading.read} records cannot be used"
    if reading.traces:
        hints.append(f"pass rejects=[] to read the other {reading.accepted}")
    return replace(first, reason=reason, fix="; ".join(hints)).error()


class _Seen(NamedTuple):
    line: int | None
    content: int  # a hash of the record's bytes


def _trace(raw: bytes, notes: Repairs) -> Trace:
    record, deep = decoded(raw, notes), may_be_deep(raw)
    try:
        trace = strict_trace(record)
        if deep:
            check_depth(_nested(trace), notes)
    except ValidationError:
        if deep:
            check_depth(record, notes)
        trace = _reshaped(record, notes)
    return settled(trace, notes)


def _reshaped(record: Json, notes: Repairs) -> Trace:
    try:
        return strict_trace(shaped(record, notes))
    except ValidationError as error:
        raise notes.error(why_not(error), "compare the record with the trace schema") from None


def _nested(trace: Trace) -> Json:
    """All that the schema lets be of any depth; text is left out, however many brackets it holds."""
    results = [message.result for message in trace.messages if isinstance(message.result, list | dict)]
    arguments = [call.arguments for message in trace.messages for call in message.tool_calls]
    return [trace.metadata, trace.tools, results, arguments]


def _once(trace: Trace, raw: bytes, known: dict[str, _Seen], notes: Repairs) -> Trace:
    """The trace, if its id is new. An id that was made for it is made once more; one that was given is not."""
    conversation_id, count = trace.conversation_id, 1
    while conversation_id in known and notes.counts["conversation_id_made"]:
        count += 1
        conversation_id = f"{trace.conversation_id}-{count}"
    if earlier := known.get(conversation_id):
        reason = f"conversation_id {conversation_id!r} was read before, at {notes.source}:{earlier.line}"
        if raw:
            reason += ", with the same content" if hash(raw) == earlier.content else ", with other content"
        raise notes.error(reason, "leave one of them out, or give it an id of its own")
    known[conversation_id] = _Seen(notes.line, hash(raw))
    return trace if conversation_id == trace.conversation_id else replace(trace, conversation_id=conversation_id)
