"""Opik exports: traces with their spans inside or beside them, or rows of either; a thread is one conversation."""

from collections.abc import Iterator
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.format import Draft, Format, Group, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.stitch.span import Kind
from agent_gym.trace_parser.values import name_of, objects, word
from agent_gym.types import Json

__all__ = ["OPIK"]

_KINDS: Final[dict[str, Kind]] = {"llm": "llm", "tool": "tool", "general": "other", "guardrail": "other"}


def _is_opik(record: dict[str, Json]) -> bool:
    trace, spans = _trace(record), _spans(record)
    if any("observations" in one or "run_type" in one for one in (record, trace)):
        return False
    if spans:
        return all(_is_span(span) for span in spans)
    return _is_span(record) or ("feedback_scores" in record and "input" in record and "start_time" in record)


def _is_span(row: dict[str, Json]) -> bool:
    return word(row.get("type")) in _KINDS and "trace_id" in row and "start_time" in row and "input" in row


def _trace(record: dict[str, Json]) -> dict[str, Json]:
    inner = record.get("trace")
    return inner if isinstance(inner, dict) else record


def _spans(record: dict[str, Json]) -> list[dict[str, Json]]:
    return objects(record.get("spans")) or objects(_trace(record).get("spans"))


def _keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    trace = _trace(record)
    name, thread = name_of(trace.get("trace_id")) or name_of(trace.get("id")), name_of(trace.get("thread_id"))
    return [f"{kind} {key}" for kind, key in (("trace", name), ("thread", thread)) if key]


def _read(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    traces = [trace for record in records if not _is_span(trace := _trace(record))]
    rows = [row for record in records for row in (_spans(record) or ([record] if _is_span(record) else []))]
    first = min(traces, key=lambda trace: text_of(trace.get("start_time")), default={})
    kept: dict[str, Json] = {key: first[key] for key in ("name", "tags", "thread_id") if first.get(key)}
    # Whoever or whatever gave a score is not told, nor on which scale: none is taken for satisfaction.
    if scores := [score for trace in traces for score in objects(trace.get("feedback_scores"))]:
        kept["feedback_scores"] = scores
    yield from drafts_of(
        [_span(number, row) for number, row in enumerate(rows)], notes,
        name_of(first.get("thread_id")) or name_of(first.get("id")) or name_of(rows[0].get("trace_id") if rows else ""),
        opening=given_messages(first.get("input"), Notes()), closing=said_messages(first.get("output"), Notes()),
        metadata=kept,
    )  # fmt: skip


def _span(number: int, row: dict[str, Json]) -> Span:
    kind = _KINDS.get(str(row.get("type")), "other")
    given, said, failed = from_json(row.get("input")), from_json(row.get("output")), row.get("error_info")
    is_model = kind == "llm"
    return Span(
        str(row.get("id") or number), kind, str(row.get("name") or ""), name_of(row.get("parent_span_id")),
        text_of(row.get("start_time")), str(row.get("trace_id") or ""),
        asked=given if is_model else None, answered=said if is_model else None,
        arguments=given, result=None if is_model else said if said is not None else failed, is_error=bool(failed),
    )  # fmt: skip


OPIK = Format(
    "opik",
    "Opik traces and spans",
    lambda records: 0.94 * share(records, _is_opik),
    _read,
    _keys,
    experimental=True,
)
