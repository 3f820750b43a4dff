"""Langfuse: a trace with its observations, rows of the blob export, or an ingestion batch."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.calls import unwrapped
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.format import Draft, Format, Group, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.stitch.span import Kind
from agent_gym.trace_parser.values import name_of, objects, word
from agent_gym.types import Json, Message

__all__ = ["LANGFUSE"]

_KINDS: Final[dict[str, Kind]] = {"GENERATION": "llm", "TOOL": "tool", "AGENT": "agent"}
_TYPES: Final = {
    "SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL",
}  # fmt: skip
_NOT_THE_AGENT: Final = ("EVALUATOR", "EMBEDDING", "GUARDRAIL", "RETRIEVER")
_BY_THE_CUSTOMER: Final = (
    "user-feedback",
    "user_feedback",
    "feedback",
    "satisfaction",
    "csat",
    "thumbs",
    "user_score",
    "rating",
)


def _get(record: dict[str, Json], name: str) -> Json:
    """A field under its camelCase or snake_case name."""
    if name in record:
        return record[name]
    return record.get("".join("_" + c.lower() if c.isupper() else c for c in name))


def _is_observation(record: dict[str, Json]) -> bool:
    return (
        word(record.get("type")) in _TYPES
        and _get(record, "traceId") is not None
        and _get(record, "startTime") is not None
    )


def _is_trace(record: dict[str, Json]) -> bool:
    if isinstance(record.get("observations"), list):
        return isinstance(record.get("trace"), dict) or "timestamp" in record or "scores" in record
    return (
        "timestamp" in record
        and "type" not in record
        and ("sessionId" in record or "session_id" in record)
        and "name" in record
    )


def _is_score(record: dict[str, Json]) -> bool:
    return "dataType" in record or ("data_type" in record and "value" in record)


def _is_batch(record: dict[str, Json]) -> bool:
    batch = record.get("batch")
    return isinstance(batch, list) and any(isinstance(e, dict) and isinstance(e.get("body"), dict) for e in batch)


def _is_event(record: dict[str, Json]) -> bool:
    kind = record.get("type")
    return isinstance(kind, str) and kind.endswith(("-create", "-update")) and isinstance(record.get("body"), dict)


def _detect(records: Sequence[Json]) -> float:
    known = share(records, lambda r: _is_trace(r) or _is_observation(r) or _is_batch(r) or _is_event(r) or _is_score(r))
    anchored = share(
        records, lambda r: _is_observation(r) or isinstance(r.get("observations"), list) or _is_batch(r) or _is_event(r)
    )
    return 0.94 * known if anchored else 0.4 * known


def _parts(record: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """The traces, observations and scores of a record, told apart."""
    if not isinstance(record, dict):
        return
    if _is_batch(record):
        for event in record["batch"]:
            yield from _parts(event)
    elif _is_event(record):
        kind, body = str(record["type"]), record["body"]
        if kind.startswith("trace"):
            yield "trace", body
        elif kind.startswith("score"):
            yield "score", body
        else:
            yield "observation", {"type": kind.split("-", maxsplit=1)[0].upper(), **body}
    elif isinstance(record.get("observations"), list):
        trace = record["trace"] if isinstance(record.get("trace"), dict) else record
        yield "trace", trace
        yield from (("observation", one) for one in record["observations"] if isinstance(one, dict))
        yield from (("score", one) for one in objects(trace.get("scores")))
    elif _is_observation(record):
        yield "observation", record
    else:
        yield ("score" if _is_score(record) else "trace"), record


def _keys(record: Json) -> list[str]:
    keys: list[str] = []
    for kind, part in _parts(record):
        trace = _get(part, "traceId") or (part.get("id") if kind == "trace" else None)
        session = _get(part, "sessionId")
        keys += [f"trace {trace}"] if isinstance(trace, str) else []
        keys += [f"session {session}"] if isinstance(session, str) and session else []
    return list(dict.fromkeys(keys))


def _read(group: Group) -> Iterator[Draft]:
    traces: dict[str, dict[str, Json]] = {}
    observations: dict[str, dict[str, Json]] = {}
    scores: list[dict[str, Json]] = []
    for number, (kind, part) in enumerate(part for record in group.values for part in _parts(record)):
        if kind == "trace":
            known = traces.setdefault(str(part.get("id")), {})
            known |= {key: value for key, value in part.items() if value is not None and key != "observations"}
        elif kind == "observation":
            merged = observations.setdefault(str(part.get("id") or number), {})
            merged |= {key: value for key, value in part.items() if value is not None}
        else:
            scores.append(part)
    notes = Notes()
    spans = [_span(name, one) for name, one in observations.items() if one.get("type") not in _NOT_THE_AGENT]
    ordered = sorted(traces.values(), key=lambda trace: text_of(trace.get("timestamp")))
    first = ordered[0] if ordered else {}
    roots = [one for one in observations.values() if not _get(one, "parentObservationId")]
    name = first.get("id") or next((_get(one, "traceId") for one in observations.values()), None)
    session = next(
        (s for one in (*ordered, *observations.values()) if isinstance(s := _get(one, "sessionId"), str) and s), None
    )
    if session and len({span.trace for span in spans} | set(traces)) > 1:
        name = session
    score, kept = _satisfaction(scores)
    yield from drafts_of(
        spans, notes, str(name) if name else None,
        opening=_first_messages((first.get("input"), *(one.get("input") for one in roots)), given_messages),
        closing=_first_messages((first.get("output"), *(one.get("output") for one in roots)), said_messages),
        satisfaction_score=score,
        metadata=_metadata(first, session) | kept,
    )  # fmt: skip


def _span(name: str, one: dict[str, Json]) -> Span:
    kind = _KINDS.get(str(one.get("type")), "other")
    given, said = from_json(one.get("input")), from_json(one.get("output"))
    is_model = kind == "llm"
    return Span(
        name, kind, str(one.get("name") or ""), name_of(_get(one, "parentObservationId")),
        text_of(_get(one, "startTime")), str(_get(one, "traceId") or ""),
        asked=given if is_model else None,
        answered=said if is_model else None,
        arguments=None if is_model else given,
        result=None if is_model else _result(said),
        is_error=one.get("level") == "ERROR",
        answer_id=str(said["id"]) if is_model and isinstance(said, dict) and isinstance(said.get("id"), str) else "",
    )  # fmt: skip


def _result(said: Json) -> Json:
    """What a tool said; LangChain wraps it into a message."""
    if isinstance(said, dict) and isinstance(inner := said.get("kwargs"), dict) and "content" in inner:
        return inner["content"]
    return unwrapped(said)


def _first_messages(values: Iterable[Json], reader: Callable[[Json, Notes], list[Message]]) -> list[Message]:
    for value in values:
        if found := reader(from_json(value), Notes()):
            return found
    return []


def _satisfaction(scores: Sequence[dict[str, Json]]) -> tuple[float | None, dict[str, Json]]:
    """What the customer gave; evaluators' scores are kept, but they are not the customer."""
    if not scores:
        return None, {}
    kept = [
        {key: one.get(key) for key in ("name", "value", "source", "comment") if one.get(key) is not None}
        for one in scores
    ]
    for one in scores:
        if str(one.get("source")) == "EVAL" or str(one.get("name")).lower().replace(" ", "_") not in _BY_THE_CUSTOMER:
            continue
        value, kind = one.get("value"), _get(one, "dataType")
        if kind == "BOOLEAN" and value in (0, 1):
            return float(value), {
                "scores": kept,
                "satisfaction": {"raw": value, "scale": "0..1", "from": one.get("name")},
            }
        if isinstance(value, int | float):
            return None, {"scores": kept, "satisfaction": {"raw": value, "scale": None, "from": one.get("name")}}
    return None, {"scores": kept}


def _metadata(trace: dict[str, Json], session: str | None) -> dict[str, Json]:
    kept = {key: trace[key] for key in ("name", "timestamp", "tags", "release", "environment") if trace.get(key)}
    user = _get(trace, "userId")
    return kept | ({"session_id": session} if session else {}) | ({"user_id": user} if user else {})


LANGFUSE = Format("langfuse", "Langfuse traces, blob exports and ingestion batches", _detect, _read, _keys)
