"""OpenTelemetry spans that speak of models: GenAI conventions old and new, OpenInference, Vercel; OTLP JSON or flat."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.calls import definitions_of
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.attributes import Attributes, plain_attributes, plain_value
from agent_gym.trace_parser.formats.format import Draft, Format, Group, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.links import grouped
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.stitch.span import Kind
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json

__all__ = ["OPENINFERENCE", "OTEL"]

_SESSION: Final = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "ai.telemetry.metadata.sessionId",
    "thread_id",
)
_OPERATIONS: Final[dict[str, Kind]] = {
    "chat": "llm", "text_completion": "llm", "generate_content": "llm", "completion": "llm",
    "execute_tool": "tool", "invoke_agent": "agent", "create_agent": "agent",
    "LLM": "llm", "TOOL": "tool", "AGENT": "agent",
}  # fmt: skip
_GIVEN: Final = (
    "gen_ai.input.messages", "gen_ai.prompt", "llm.input_messages", "ai.prompt.messages", "ai.prompt",
)  # fmt: skip
_SAID: Final = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "ai.response")
_TOOL_NAME: Final = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "ai.toolCall.name")
_TOOL_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value", "tool.parameters")
_TRACE_ID: Final = ("trace_id", "traceId", "context.trace_id", "context.traceId")
_SPAN_ID: Final = ("span_id", "spanId", "context.span_id", "context.spanId")
_PARENT_ID: Final = ("parent_id", "parentSpanId", "parent_span_id")
_STARTS: Final = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
_EVENT: Final = "gen_ai.client.inference.operation.details"
_EVENT_ROLES: Final = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool", "gen_ai.choice": "assistant",
}  # fmt: skip


def _is_otlp(record: dict[str, Json]) -> bool:
    if "resourceSpans" not in record and "resource_spans" not in record:
        return False
    return isinstance(record.get("resourceSpans", record.get("resource_spans")), list)


def _is_span(record: dict[str, Json]) -> bool:
    named = "name" in record and ("attributes" in record or any(key.startswith("attributes.") for key in record))
    context = isinstance(record.get("context"), dict)
    return named and (
        context or any(key in record for key in ("traceId", "trace_id", "context.trace_id", "spanId", "span_id"))
    )


def _attributes(record: dict[str, Json]) -> Attributes:
    """The attributes, also where a table made columns of them."""
    if (given := record.get("attributes")) is not None:
        return Attributes(plain_attributes(given))
    return Attributes({k.removeprefix("attributes."): v for k, v in record.items() if k.startswith("attributes.")})


def _spans_of(record: Json) -> Iterator[dict[str, Json]]:
    if not isinstance(record, dict):
        return
    if not _is_otlp(record):
        yield record
        return
    for resource in objects(record.get("resourceSpans", record.get("resource_spans"))):
        for scope in objects(resource.get("scopeSpans", resource.get("scope_spans"))):
            yield from objects(scope.get("spans"))


def _is_openinference(record: dict[str, Json]) -> bool:
    return "span_kind" in record or _attributes(record)["openinference"] is not None


def _detect(records: Sequence[Json]) -> float:
    spans = share(records, _is_span)
    ours = share(records, lambda record: _is_span(record) and _is_openinference(record))
    return max(0.95 * share(records, _is_otlp), 0.85 * spans - 0.3 * (ours > 0.3))


def _detect_openinference(records: Sequence[Json]) -> float:
    return 0.93 * share(records, lambda record: _is_span(record) and not _is_otlp(record) and _is_openinference(record))


def _context(record: dict[str, Json], names: Sequence[str]) -> str:
    """The first of the ids that the span states, in its context or itself."""
    context = record.get("context")
    return (isinstance(context, dict) and _stated(context, names)) or _stated(record, names)


def _stated(holder: dict[str, Json], names: Sequence[str]) -> str:
    for name in names:
        if (value := holder.get(name)) and isinstance(value, str):
            return value
    return ""


def _keys(record: Json) -> list[str]:
    keys: list[str] = []
    for span in _spans_of(record):
        if trace := _context(span, _TRACE_ID):
            keys.append(f"trace {trace}")
        if session := _session(_attributes(span)):
            keys.append(f"session {session}")
    return list(dict.fromkeys(keys))


def _session(attributes: Attributes) -> str:
    found = attributes.first(*_SESSION)
    return str(found) if isinstance(found, (str, int)) else ""


def _read(group: Group) -> Iterator[Draft]:
    records = [record for record in group.values if isinstance(record, dict)]
    if not any(map(_is_otlp, records)):
        yield from _drafts(records)
        return
    # A batch holds the spans of whatever ended meanwhile: traces that share no session have nothing in common.
    for together in grouped([span for record in records for span in _spans_of(record)], _keys):
        yield from _drafts(together)


def _drafts(records: Sequence[dict[str, Json]]) -> Iterator[Draft]:
    notes = Notes()
    attributes = [_attributes(record) for record in records]
    spans = [_span(str(at), record, attributes[at], notes) for at, record in enumerate(records)]
    session = next((found for one in attributes if (found := _session(one))), None)
    trace = next((span.trace for span in spans if span.trace), None)
    root = next((at for at, span in enumerate(spans) if span.parent is None), 0)
    kept: dict[str, Json] = {key: name for key, name in (("session_id", session), ("trace_id", trace)) if name}
    annotations = [one for record in records if "annotations" in record for one in objects(record["annotations"])]
    if annotations:
        kept["annotations"] = annotations
    yield from drafts_of(
        spans, notes, session or trace,
        opening=given_messages(_io(attributes[root], "input"), Notes()) if records else (),
        closing=said_messages(_io(attributes[root], "output"), Notes()) if records else (),
        metadata=kept,
    )  # fmt: skip


def _io(attributes: Attributes, side: str) -> Json:
    return from_json(attributes.first(f"{side}.value", f"traceloop.entity.{side}"))


def _span(number: str, record: dict[str, Json], attributes: Attributes, notes: Notes) -> Span:
    kind = _kind(record, attributes)
    span_id = _context(record, _SPAN_ID) or number
    name = str(record.get("name") or "")
    parent, trace = _stated(record, _PARENT_ID) or None, _context(record, _TRACE_ID)
    start, failed = _start(record), _failed(record)
    if kind == "llm":
        holders = _holders(record, attributes)
        text = _answer_text(attributes)
        return Span(
            span_id, kind, name, parent, start, trace,
            asked=_asked(record, holders, notes),
            answered=None if text else _answered(record, holders),
            answer_text=text,
            is_error=failed,
            answer_id=attributes.text("gen_ai.response.id", "ai.response.id"),
        )  # fmt: skip
    if kind == "agent":
        name = attributes.text("gen_ai.agent.name", "agent.name") or name
        return Span(span_id, kind, name, parent, start, trace, is_error=failed)
    result = from_json(attributes.first("gen_ai.tool.call.result", "ai.toolCall.result", "output.value"))
    return Span(
        span_id, kind, attributes.text(*_TOOL_NAME) or name, parent, start, trace,
        call_id=attributes.text("gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id"),
        arguments=from_json(attributes.first(*_TOOL_ARGUMENTS)),
        result=_why(record) if result is None and failed else result,
        is_error=failed,
    )  # fmt: skip


def _start(record: dict[str, Json]) -> str:
    for key in _STARTS:
        if (start := record.get(key)) is not None:
            return text_of(int(start) if isinstance(start, str) and start.isdigit() else start)
    return ""


def _failed(record: dict[str, Json]) -> bool:
    status = record.get("status")
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else record.get("status_code")
    return code in (2, "ERROR", "STATUS_CODE_ERROR")


def _why(record: dict[str, Json]) -> Json:
    """What a failed span says of its failure."""
    status = record.get("status")
    told = status.get("message", status.get("description")) if isinstance(status, dict) else None
    return told or record.get("status_message")


def _kind(record: dict[str, Json], attributes: Attributes) -> Kind:
    word = attributes.text("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind")
    word = word or str(record.get("span_kind") or "")
    if (kind := _OPERATIONS.get(word) or _OPERATIONS.get(word.upper())) is not None:
        return kind
    if attributes.first("ai.toolCall.name", "ai.toolCall.id") is not None:
        return "tool"
    if attributes.first("gen_ai.prompt", "gen_ai.completion", "gen_ai.input.messages", "ai.prompt") is not None:
        return "llm"
    return "llm" if any(_event_name(event) in _EVENT_ROLES for event in _events(record)) else "other"


def _events(record: dict[str, Json]) -> list[dict[str, Json]]:
    events = record.get("events")
    return [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []


def _event_name(event: dict[str, Json]) -> str:
    return str(event.get("name") or event.get("event.name") or "")


def _holders(record: dict[str, Json], attributes: Attributes) -> list[Attributes]:
    """Where messages may stand: in the span's attributes, or in those of its details event."""
    if not record.get("events"):
        return [attributes]
    details = (event for event in _events(record) if _event_name(event) == _EVENT)
    return [attributes, *(Attributes(plain_attributes(event.get("attributes"))) for event in details)]


def _asked(record: dict[str, Json], holders: Sequence[Attributes], notes: Notes) -> Json:
    for holder in holders:
        if not notes.tools and (defined := holder["gen_ai.tool.definitions"]):
            notes.tools += definitions_of(from_json(defined))
        value = holder.first(*_GIVEN)
        if value is not None:
            system = from_json(holder["gen_ai.system_instructions"])
            value = value if isinstance(value, str) else _unfolded(value)
            return {"messages": value, "system_instructions": system} if system else value
    return _event_messages(record, answers=False) or _io(holders[0], "input")


def _answer_text(attributes: Attributes) -> str:
    """The answer where it is plainly a list of messages; "" for one that has to be looked at."""
    text = attributes.flat.get("gen_ai.output.messages")
    if isinstance(text, str) and text.startswith('[{"role"') and '"contents"' not in text:
        return text
    return ""


def _answered(record: dict[str, Json], holders: Sequence[Attributes]) -> Json:
    for holder in holders:
        value = _unfolded(from_json(holder.first(*_SAID)))
        if isinstance(value, dict) and "role" not in value and ("toolCalls" in value or "text" in value):
            # Vercel spreads an answer out.
            return {"role": "assistant", "content": value.get("text"), "tool_calls": from_json(value.get("toolCalls"))}
        if value is not None:
            return value
    return _event_messages(record, answers=True) or _io(holders[0], "output")


def _unfolded(value: Json) -> Json:
    """OpenInference wraps every message into {"message": …}, and its calls into {"tool_call": …}."""
    if isinstance(value, list):
        return [_unfolded(one) for one in value]
    if isinstance(value, dict):
        if isinstance(inner := value.get("message"), dict) and "role" not in value:
            return _unfolded(inner)
        contents = value.get("contents")
        if isinstance(contents, list) and "content" not in value:
            parts = [one.get("message_content", one) for one in contents if isinstance(one, dict)]
            return {**value, "content": parts}
    return value


def _event_messages(record: dict[str, Json], *, answers: bool) -> list[Json]:
    """Messages logged as one event each, with the body in the attributes or beside them."""
    found: list[Json] = []
    for event in _events(record):
        role = _EVENT_ROLES.get(name := _event_name(event))
        if role is None or (name == "gen_ai.choice") is not answers:
            continue
        body = plain_value(event.get("body")) or plain_attributes(event.get("attributes"))
        body = from_json(body)
        if isinstance(body, dict) and isinstance(inner := from_json(body.get("message")), dict):
            body = inner
        if isinstance(body, dict):
            calls = from_json(body.get("tool_calls"))
            found.append({"role": role, **body, **({"tool_calls": calls} if calls else {})})
    return found


OTEL = Format("otel_genai", "OpenTelemetry GenAI spans, OTLP JSON or flat", _detect, _read, _keys)
OPENINFERENCE = Format("openinference", "OpenInference and Phoenix spans", _detect_openinference, _read, _keys)
