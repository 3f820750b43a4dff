"""Logs of gateways, one model call a record: LiteLLM, Helicone, W&B Weave; calls of one session are put together."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.calls import definitions_of
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.format import Draft, Format, Group, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.stitch.span import Kind
from agent_gym.trace_parser.values import name_of
from agent_gym.types import Json

__all__ = ["HELICONE", "LITELLM", "WEAVE"]

_MODEL_OPERATIONS: Final = ("chat.completions", "messages.create", "responses.create", "generate_content")
_SESSION_PROPERTIES: Final = ("Helicone-Session-Id", "helicone-session-id", "session_id")


def _is_litellm(record: dict[str, Json]) -> bool:
    return "call_type" in record and "messages" in record and ("response" in record or "status" in record)


def _litellm_keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    metadata = record.get("metadata")
    beside = metadata if isinstance(metadata, dict) else {}
    session = (
        record.get("session_id")
        or beside.get("session_id")
        or record.get("trace_id")
        or record.get("litellm_session_id")
    )
    return [f"call {record.get('id')}"] if not session else [f"session {session}", f"call {record.get('id')}"]


def _read_litellm(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    spans = []
    for number, record in enumerate(records):
        response = from_json(record.get("response"))
        parameters = record.get("model_parameters")
        if isinstance(parameters, dict) and not notes.tools:
            notes.tools += definitions_of(parameters.get("tools"))
        failed = record.get("status") == "failure"
        if failed:
            notes.warn("a call to the model failed", record.get("error_str"))
        start = text_of(record.get("startTime") or record.get("start_time"))
        name = str(record.get("id") or number)
        asked = {"messages": from_json(record.get("messages"))}
        spans.append(Span(name, "llm", start=start, trace=name, asked=asked, answered=response))
    first = records[0] if records else {}
    yield from drafts_of(
        spans, notes, _name(first.get("id")), metadata=_kept(first, ("model", "startTime", "end_user"))
    )


def _name(value: Json) -> str | None:
    return str(value) if isinstance(value, str | int) and value != "" else None


def _kept(record: dict[str, Json], keys: Sequence[str]) -> dict[str, Json]:
    return {key: record[key] for key in keys if record.get(key) not in (None, "")}


def _is_helicone(record: dict[str, Json]) -> bool:
    return (
        ("request_body" in record or "request" in record) and "response_body" in record
    ) or "request_response_url" in record


def _helicone_session(record: Json) -> str | None:
    for key in ("request_properties", "properties", "request_headers"):
        inner = record.get(key) if isinstance(record, dict) else None
        if isinstance(inner, dict):
            for name in _SESSION_PROPERTIES:
                if isinstance(inner.get(name), str):
                    return str(inner[name])
    return None


def _helicone_keys(record: Json) -> list[str]:
    session = _helicone_session(record)
    name = record.get("request_id") if isinstance(record, dict) else None
    return [f"session {session}"] if session else [f"request {name}"] if name else []


def _read_helicone(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    spans = []
    for number, record in enumerate(records):
        asked, answered = from_json(record.get("request_body")), from_json(record.get("response_body"))
        start = text_of(record.get("request_created_at") or record.get("created_at"))
        spans.append(Span(str(number), "llm", start=start, trace=str(number), asked=asked, answered=answered))
    first = records[0] if records else {}
    session = _helicone_session(first)
    yield from drafts_of(
        spans, notes, session or _name(first.get("request_id")), metadata=_kept(first, ("model", "request_user_id"))
    )


def _is_weave(record: dict[str, Json]) -> bool:
    return "op_name" in record and "inputs" in record and "trace_id" in record


def _weave_keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    pairs = (("trace", record.get("trace_id")), ("thread", record.get("thread_id")))
    return [f"{kind} {name}" for kind, name in pairs if isinstance(name, str) and name]


def _read_weave(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    spans = [_weave_span(number, record) for number, record in enumerate(records)]
    first = records[0] if records else {}
    root = next((record for record in records if not record.get("parent_id")), first)
    thread = next((r["thread_id"] for r in records if isinstance(r.get("thread_id"), str) and r["thread_id"]), None)
    yield from drafts_of(
        spans, notes, thread or _name(first.get("trace_id")),
        opening=given_messages(root.get("inputs"), Notes()), closing=said_messages(root.get("output"), Notes()),
    )  # fmt: skip


def _weave_span(number: int, record: dict[str, Json]) -> Span:
    name = str(record.get("op_name")).rsplit("/", 1)[-1].split(":")[0]
    is_model = any(word in name.lower() for word in _MODEL_OPERATIONS)
    kind: Kind = "llm" if is_model else "other"
    given, said = record.get("inputs"), record.get("output")
    return Span(
        str(record.get("id") or number), kind, name, name_of(record.get("parent_id")),
        text_of(record.get("started_at")), str(record.get("trace_id") or ""),
        asked=given if is_model else None, answered=said if is_model else None,
        arguments=given, result=None if is_model else said, is_error=bool(record.get("exception")),
    )  # fmt: skip


LITELLM = Format(
    "litellm",
    "LiteLLM logging payloads and spend logs",
    lambda records: 0.93 * share(records, _is_litellm),
    _read_litellm,
    _litellm_keys,
)
HELICONE = Format(
    "helicone",
    "Helicone requests",
    lambda records: 0.92 * share(records, _is_helicone),
    _read_helicone,
    _helicone_keys,
    experimental=True,
)
WEAVE = Format(
    "weave",
    "W&B Weave calls",
    lambda records: 0.94 * share(records, _is_weave),
    _read_weave,
    _weave_keys,
    experimental=True,
)
