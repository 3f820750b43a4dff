"""Span logs of MLflow, Braintrust and the OpenAI Agents SDK, and the SDK's run states."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.stitch.span import Kind
from agent_gym.trace_parser.values import name_of, objects
from agent_gym.types import Json, Message

__all__ = ["AGENTS_RUN_STATE", "AGENTS_TRACE", "BRAINTRUST", "MLFLOW"]

_MLFLOW_KINDS: Final[dict[str, Kind]] = {"CHAT_MODEL": "llm", "LLM": "llm", "TOOL": "tool", "AGENT": "agent"}
_BRAINTRUST_KINDS: Final[dict[str, Kind]] = {"llm": "llm", "tool": "tool", "task": "other"}
_AGENTS_KINDS: Final[dict[str, Kind]] = {"generation": "llm", "response": "llm", "function": "tool", "agent": "agent"}


def _mlflow_parts(record: Json) -> tuple[dict[str, Json], list[dict[str, Json]]]:
    info, inner = (record.get("info"), record.get("data")) if isinstance(record, dict) else (None, None)
    spans = inner.get("spans") if isinstance(inner, dict) else None
    listed = [span for span in spans if isinstance(span, dict)] if isinstance(spans, list) else []
    return (info if isinstance(info, dict) else {}), listed


def _is_mlflow(record: dict[str, Json]) -> bool:
    info, spans = _mlflow_parts(record)
    return bool(info) and bool(spans) and ("trace_id" in info or "request_id" in info)


def _mlflow_session(info: dict[str, Json]) -> str | None:
    for key in ("trace_metadata", "request_metadata", "tags"):
        inner = info.get(key)
        session = inner.get("mlflow.trace.session") if isinstance(inner, dict) else None
        if isinstance(session, str) and session:
            return session
    return None


def _mlflow_keys(record: Json) -> list[str]:
    info, _ = _mlflow_parts(record)
    session = _mlflow_session(info)
    return [f"session {session}"] if session else [f"trace {info.get('trace_id') or info.get('request_id')}"]


def _read_mlflow(group: Group) -> Iterator[Draft]:
    notes = Notes()
    spans: list[Span] = []
    kept: dict[str, Json] = {}
    name: str | None = None
    opening: list[Message] = []
    closing: list[Message] = []
    for record in group.values:
        info, listed = _mlflow_parts(record)
        trace = str(info.get("trace_id") or info.get("request_id") or "")
        name = name or _mlflow_session(info) or trace or None
        spans += [_mlflow_span(number, span, trace) for number, span in enumerate(listed)]
        if isinstance(info.get("assessments"), list):
            kept["assessments"] = [*kept.get("assessments", []), *info["assessments"]]
        root = next((_mlflow_attributes(span) for span in listed if not _mlflow_parent(span)), {})
        opening = opening or given_messages(root.get("mlflow.spanInputs"), Notes())
        closing = closing or said_messages(root.get("mlflow.spanOutputs"), Notes())
    yield from drafts_of(spans, notes, name, opening=opening, closing=closing, metadata=kept)


def _mlflow_attributes(span: dict[str, Json]) -> dict[str, Json]:
    attributes = span.get("attributes")
    found = {key: from_json(value) for key, value in attributes.items()} if isinstance(attributes, dict) else {}
    return {
        **found,
        **{f"mlflow.span{key.capitalize()}": from_json(span[key]) for key in ("inputs", "outputs") if key in span},
    }


def _mlflow_parent(span: dict[str, Json]) -> str | None:
    return name_of(span.get("parent_id")) or name_of(span.get("parent_span_id"))


def _mlflow_span(number: int, span: dict[str, Json], trace: str) -> Span:
    attributes = _mlflow_attributes(span)
    kind = _MLFLOW_KINDS.get(str(attributes.get("mlflow.spanType", span.get("span_type"))), "other")
    given, said = attributes.get("mlflow.spanInputs"), attributes.get("mlflow.spanOutputs")
    is_model = kind == "llm"
    status = span.get("status", span.get("status_code"))
    code = status.get("code", status.get("status_code")) if isinstance(status, dict) else status
    start = span.get("start_time_unix_nano", span.get("start_time_ns", span.get("start_time")))
    return Span(
        str(span.get("span_id") or number), kind, str(span.get("name") or ""), _mlflow_parent(span),
        text_of(start), trace,
        asked=given if is_model else None, answered=said if is_model else None,
        arguments=given, result=None if is_model else said, is_error=code in ("ERROR", "STATUS_CODE_ERROR", 2),
    )  # fmt: skip


def _is_braintrust(record: dict[str, Json]) -> bool:
    return "root_span_id" in record and "span_id" in record


def _braintrust_keys(record: Json) -> list[str]:
    return [f"root {record.get('root_span_id')}"] if isinstance(record, dict) else []


def _read_braintrust(group: Group) -> Iterator[Draft]:
    notes = Notes()
    rows = [row for row in group.values if isinstance(row, dict)]
    spans = [_braintrust_span(number, row) for number, row in enumerate(rows)]
    root = next((row for row in rows if row.get("span_id") == row.get("root_span_id")), rows[0] if rows else {})
    kept = {"scores": root["scores"]} if isinstance(root.get("scores"), dict) and root["scores"] else {}
    yield from drafts_of(
        spans, notes, str(root.get("root_span_id") or "") or None,
        opening=given_messages(root.get("input"), Notes()), closing=said_messages(root.get("output"), Notes()),
        metadata=kept,
    )  # fmt: skip


def _braintrust_span(number: int, row: dict[str, Json]) -> Span:
    attributes = row.get("span_attributes")
    named = attributes if isinstance(attributes, dict) else {}
    kind = _BRAINTRUST_KINDS.get(str(named.get("type")), "other")
    parents, metrics = row.get("span_parents"), row.get("metrics")
    start = metrics.get("start") if isinstance(metrics, dict) else None
    is_model = kind == "llm"
    return Span(
        str(row.get("span_id") or number), kind, str(named.get("name") or ""),
        str(parents[0]) if isinstance(parents, list) and parents else None,
        text_of(start or row.get("created")), str(row.get("root_span_id") or ""),
        asked=row.get("input") if is_model else None, answered=row.get("output") if is_model else None,
        arguments=row.get("input"), result=None if is_model else row.get("output"), is_error=bool(row.get("error")),
    )  # fmt: skip


def _is_agents_trace(record: dict[str, Json]) -> bool:
    return record.get("object") in ("trace", "trace.span") and ("span_data" in record or "workflow_name" in record)


def _agents_keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    trace = record.get("trace_id") if record.get("object") == "trace.span" else record.get("id")
    group = record.get("group_id")
    return [f"trace {trace}", *([f"group {group}"] if isinstance(group, str) and group else [])]


def _read_agents(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    spans = [_agents_span(record) for record in records if isinstance(record.get("span_data"), dict)]
    traces = [record for record in records if record.get("object") == "trace"]
    chat = next((trace["group_id"] for trace in traces if isinstance(trace.get("group_id"), str)), None)
    name = chat or next((trace.get("id") for trace in traces), None) or next((span.trace for span in spans), None)
    yield from drafts_of(spans, notes, str(name) if name else None)


def _agents_span(record: dict[str, Json]) -> Span:
    span = record["span_data"]
    kind = _AGENTS_KINDS.get(str(span.get("type")), "other")
    given, said = from_json(span.get("input")), from_json(span.get("output"))
    is_model = kind == "llm"
    return Span(
        str(record.get("id")), kind, str(span.get("name") or ""), name_of(record.get("parent_id")),
        text_of(record.get("started_at")),
        str(record.get("trace_id") or ""),
        asked=given if is_model else None, answered=said if is_model else None,
        arguments=given, result=None if is_model else span.get("output"), is_error=bool(record.get("error")),
        answer_id=str(span.get("response_id") or ""),
    )  # fmt: skip


def _is_run_state(record: dict[str, Json]) -> bool:
    return "original_input" in record and isinstance(record.get("generated_items"), list)


def _read_run_state(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        raw = [item.get("raw_item") for item in objects(record.get("generated_items"))]
        given = record.get("original_input")
        items = [*([given] if isinstance(given, str) else given if isinstance(given, list) else []), *raw]
        messages = messages_of([item for item in items if item is not None], notes)
        yield draft_of(messages, notes, record.get("conversation_id"), metadata=_agent_of(record))


def _agent_of(record: dict[str, Json]) -> dict[str, Json]:
    agent = record.get("current_agent")
    return {"agent": agent["name"]} if isinstance(agent, dict) and isinstance(agent.get("name"), str) else {}


def _detect_mlflow(records: Sequence[Json]) -> float:
    return 0.96 * share(records, _is_mlflow)


MLFLOW = Format("mlflow", "MLflow traces", _detect_mlflow, _read_mlflow, _mlflow_keys, experimental=True)
BRAINTRUST = Format(
    "braintrust",
    "Braintrust log rows",
    lambda records: 0.95 * share(records, _is_braintrust),
    _read_braintrust,
    _braintrust_keys,
    experimental=True,
)
AGENTS_TRACE = Format(
    "openai_agents_trace", "OpenAI Agents SDK trace exports", lambda records: 0.95 * share(records, _is_agents_trace),
    _read_agents, _agents_keys,
)  # fmt: skip
AGENTS_RUN_STATE = Format(
    "openai_agents_runstate",
    "OpenAI Agents SDK run states",
    lambda records: 0.96 * share(records, _is_run_state),
    _read_run_state,
)
