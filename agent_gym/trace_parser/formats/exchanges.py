"""Records that hold a whole exchange with a model: OpenAI chat and batches, Anthropic, Bedrock, Gemini."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from agent_gym.trace_parser.decode import json_in, may_be_deep
from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.calls import definitions_of
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.arrow import without_filled_nulls
from agent_gym.trace_parser.formats.clean_chat import clean_messages
from agent_gym.trace_parser.formats.format import Draft, Format, Group, Item, draft_of, share
from agent_gym.trace_parser.formats.outcomes import outcome_word
from agent_gym.trace_parser.nouns import new_trace
from agent_gym.trace_parser.stitch.span import canonical
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json, Trace

__all__ = ["ANTHROPIC", "BEDROCK", "GEMINI", "OPENAI_BATCH", "OPENAI_CHAT", "exchange_draft"]

_IDS: Final = (
    "conversation_id",
    "thread_id",
    "session_id",
    "id",
    "custom_id",
    "responseId",
    "response_id",
    "request_id",
)
_HEAVY: Final = frozenset((
    "messages", "conversations", "contents", "choices", "candidates", "response", "request", "body", "tools",
    "functions", "system", "content", "systemInstruction", "system_instruction", "input", "output", "metadata",
    "request_body", "response_body",
))  # fmt: skip
_BARE: Final = frozenset(("id", "messages", "tools"))
_ELSEWHERE: Final = frozenset(
    ("choices", "response", "completion", "system", "conversation_id", "thread_id", "session_id", "preferred_output")
)


def exchange_draft(record: dict[str, Json], request: Json = None, response: Json = None) -> Draft:
    """The conversation of a record: what was given, and what was said to it."""
    notes = Notes()
    if isinstance(messages := record.get("messages"), str):
        record = {**record, "messages": json_in(messages) or messages}
    given = given_messages(record if request is None else request, notes)
    said = said_messages(response, notes)
    # Some logs store the answer with the history as well.
    if said and [canonical(m) for m in given[-len(said) :]] != [canonical(m) for m in said]:
        given = [*given, *said]
    if not notes.tools:
        notes.tools += definitions_of(record.get("tools"))
    beside = _beside(record)
    return draft_of(
        without_filled_nulls(given, notes),
        notes,
        beside.conversation_id,
        outcome=beside.outcome,
        satisfaction_score=beside.satisfaction_score,
        metadata=beside.metadata,
    )


class _Beside(NamedTuple):
    """What a record says beside its messages."""

    conversation_id: Json
    outcome: str | None
    satisfaction_score: float | None
    metadata: dict[str, Json]


def _beside(record: dict[str, Json]) -> _Beside:
    metadata = record.get("metadata")
    kept = dict(metadata) if isinstance(metadata, dict) else {}
    for key, value in record.items():
        if key not in _HEAVY and value is not None:
            kept.setdefault(key, value)
    outcome, score = kept.pop("outcome", None), kept.pop("satisfaction_score", None)
    number = float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None
    conversation_id = next((record[key] for key in _IDS if record.get(key) not in (None, "")), None)
    for key in ("id", "conversation_id"):
        if kept.get(key) == conversation_id:
            kept.pop(key, None)
    return _Beside(conversation_id, outcome_word(outcome), number, kept)


def _messages(record: Mapping[str, Json]) -> list[dict[str, Json]]:
    messages = record.get("messages")
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def _blocks(record: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    for message in _messages(record):
        if isinstance(content := message.get("content"), list):
            yield from (block for block in content if isinstance(block, dict))


def _has_roles(record: dict[str, Json]) -> bool:
    messages = _messages(record)
    return bool(messages) and all("role" in message for message in messages)


def _is_openai(record: dict[str, Json]) -> bool:
    response = record.get("response")
    answers = record.get("choices", response.get("choices") if isinstance(response, dict) else None)
    if isinstance(answers, list) and answers:
        return True
    for message in _messages(record):
        calls = message.get("tool_calls")
        if message.get("role") in ("developer", "function") or message.get("function_call"):
            return True
        if isinstance(calls, list) and any(isinstance(call, dict) and "function" in call for call in calls):
            return True
        if message.get("role") == "tool" and "result" not in message and "tool_call_id" in message:
            return True
    return any(block.get("type") in ("image_url", "input_audio", "file") for block in _blocks(record))


def _detect_openai(records: Sequence[Json]) -> float:
    with_messages = share(records, lambda record: _has_roles(record) or isinstance(record.get("choices"), list))
    signs = share(records, _is_openai)
    preferred = share(records, lambda record: "preferred_output" in record and "input" in record)
    return max(0.5 * with_messages + 0.3 * (signs > 0) * with_messages, 0.9 * preferred)


def _read_openai(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        if "preferred_output" in record:
            yield exchange_draft(record, record.get("input"), record["preferred_output"])
        else:
            yield exchange_draft(record, None, _response(record))


def _clean(item: Item) -> Trace | None:
    """The trace of a record that needs no dialect: an id, messages, and nothing that could hold more of them."""
    record = item.value
    if not isinstance(record, dict) or not isinstance(record.get("id"), str) or not record["id"]:
        return None
    if not _ELSEWHERE.isdisjoint(record) or (len(record) > 2 and may_be_deep(item.raw)):  # clean messages are flat
        return None
    tools, metadata = record.get("tools") or [], record.get("metadata")
    if objects(tools) != tools or not (metadata is None or isinstance(metadata, dict)):
        return None
    messages = clean_messages(record.get("messages"))
    if not messages:
        return None
    if _BARE.issuperset(record):
        return new_trace(record["id"], messages, None, None, tuple(tools), {"format": "openai_chat"})
    beside = _beside(record)
    kept = {"format": "openai_chat", **beside.metadata}
    return Trace(record["id"], messages, beside.outcome, beside.satisfaction_score, tuple(tools), kept)


def _response(record: dict[str, Json]) -> Json:
    if isinstance(record.get("choices"), list):
        return {"choices": record["choices"]}
    return record.get("response") or record.get("completion")


def _is_anthropic(record: dict[str, Json]) -> bool:
    if record.get("type") == "message" and isinstance(record.get("content"), list) and "stop_reason" in record:
        return True
    kinds = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")
    return any(block.get("type") in kinds for block in _blocks(record))


def _detect_anthropic(records: Sequence[Json]) -> float:
    signs = share(records, _is_anthropic)
    beside = share(records, lambda record: "system" in record and bool(_messages(record)))
    tools = share(records, lambda record: any("input_schema" in tool for tool in _tools(record)))
    return min(0.93, 0.85 * (signs > 0) + 0.06 * beside + 0.05 * tools) if signs else 0.57 * beside + 0.3 * tools


def _tools(record: dict[str, Json]) -> list[dict[str, Json]]:
    tools = record.get("tools")
    return [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []


def _read_anthropic(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        if record.get("type") == "message":
            notes = Notes()
            yield draft_of(
                messages_of([{k: v for k, v in record.items() if k != "type"}], notes), notes, record.get("id")
            )
        else:
            yield exchange_draft(record, None, record.get("response"))


def _is_bedrock(record: dict[str, Json]) -> bool:
    return (
        "inferenceConfig" in record
        or "toolConfig" in record
        or any("toolUse" in block or "toolResult" in block for block in _blocks(record))
    )


def _detect_bedrock(records: Sequence[Json]) -> float:
    return 0.92 * share(records, lambda record: bool(_messages(record)) and _is_bedrock(record))


def _is_gemini(record: dict[str, Json]) -> bool:
    contents, candidates = record.get("contents"), record.get("candidates")
    if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict):
        return True
    return isinstance(contents, str | list | dict)


def _detect_gemini(records: Sequence[Json]) -> float:
    nested = share(
        records, lambda record: any(_is_gemini(inner) for inner in record.values() if isinstance(inner, dict))
    )
    return max(0.92 * share(records, _is_gemini), 0.6 * nested)


def _read_gemini(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict):
            request = record.get("request") if isinstance(record.get("request"), dict) else None
            response = record.get("response") if isinstance(record.get("response"), dict) else None
            candidates = {"candidates": record["candidates"]} if "candidates" in record else None
            yield exchange_draft(record, request, response or candidates)


def _is_batch(record: dict[str, Json]) -> bool:
    body, response = record.get("body"), record.get("response")
    return "custom_id" in record and (isinstance(body, dict) or isinstance(response, dict) or "error" in record)


def _batch_keys(record: Json) -> list[str]:
    return [f"batch {record['custom_id']}"] if isinstance(record, dict) and "custom_id" in record else []


def _read_batch(group: Group) -> Iterator[Draft]:
    """Questions and answers lie in two files, joined on `custom_id`; a question alone has no answer."""
    records = [record for record in group.values if isinstance(record, dict)]
    bodies = [record["body"] for record in records if isinstance(record.get("body"), dict)]
    responses = [record["response"] for record in records if isinstance(record.get("response"), dict)]
    answers = [response["body"] for response in responses if isinstance(response.get("body"), dict)]
    first = next((record for record in records if "custom_id" in record), {})
    beside = {"custom_id": first.get("custom_id"), "tools": bodies[0].get("tools") if bodies else None}
    draft = exchange_draft(beside, bodies[0] if bodies else {}, answers[0] if answers else None)
    yield draft


OPENAI_CHAT = Format(
    "openai_chat",
    "OpenAI chat completions, fine-tuning and preference files",
    _detect_openai,
    _read_openai,
    clean=_clean,
)
OPENAI_BATCH = Format(
    "openai_batch",
    "OpenAI batch input and output",
    lambda records: 0.95 * share(records, _is_batch),
    _read_batch,
    _batch_keys,
)
ANTHROPIC = Format("anthropic_messages", "Anthropic messages", _detect_anthropic, _read_anthropic)
BEDROCK = Format("bedrock_converse", "Amazon Bedrock Converse", _detect_bedrock, _read_openai, experimental=True)
GEMINI = Format("gemini", "Google Gemini and Vertex contents", _detect_gemini, _read_gemini)
