"""OpenAI Responses: stored responses with or without their input, chains of them, streams, and NeMo Gym's rollouts."""

import hashlib
from collections.abc import Iterator, Sequence

import orjson

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.calls import definitions_of
from agent_gym.trace_parser.dialects.responses import is_item
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.outcomes import reward_outcome
from agent_gym.trace_parser.values import objects, word
from agent_gym.types import Json, Message

__all__ = ["NEMO_GYM", "OPENAI_RESPONSES", "OPENAI_STREAM"]


def _is_response(record: dict[str, Json]) -> bool:
    output = record.get("output")
    if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
        return False
    items = any(is_item(item) or item.get("type") == "message" for item in output)
    return record.get("object") == "response" or (items and ("input" in record or "status" in record or "id" in record))


def _response_in(record: Json) -> dict[str, Json] | None:
    """The response of a record: the record itself, or one inside a gateway's log."""
    if not isinstance(record, dict):
        return None
    if _is_response(record):
        return record
    inner = record.get("response")
    body = inner.get("body") if isinstance(inner, dict) else None
    for candidate in (inner, body):
        if isinstance(candidate, dict) and _is_response(candidate):
            return candidate
    return None


def _keys(record: Json) -> list[str]:
    response = _response_in(record) or {}
    ids = [response.get("id"), response.get("previous_response_id"), _input_of(record).get("previous_response_id")]
    conversation = response.get("conversation")
    if isinstance(conversation, dict):
        ids.append(conversation.get("id"))
    found = [f"response {one}" for one in ids if isinstance(one, str) and one]
    return found or [hashlib.blake2b(orjson.dumps(record, default=str, option=orjson.OPT_NON_STR_KEYS)).hexdigest()]


def _input_of(record: Json) -> dict[str, Json]:
    for key in ("responses_create_params", "request", "body"):
        if isinstance(record, dict) and isinstance(inner := record.get(key), dict):
            return inner
    return record if isinstance(record, dict) else {}


def _read(group: Group) -> Iterator[Draft]:
    """A chain of responses gives one conversation: each holds only what is new."""
    notes = Notes()
    messages: list[Message] = []
    records = sorted((record for record in group.values if isinstance(record, dict)), key=_created)
    first: dict[str, Json] = {}
    for record in records:
        response, request = _response_in(record) or {}, _input_of(record)
        first = first or response
        given = request.get("input", response.get("input"))
        found = messages_of([given] if isinstance(given, str) else given, notes) if given else []
        system = request.get("instructions") or response.get("instructions")
        if isinstance(system, str) and system and not any(m.role == "system" for m in (*messages, *found)):
            messages.insert(0, Message("system", system))
        messages += found
        messages += messages_of(response.get("output"), notes) if response.get("output") else []
        notes.tools = notes.tools or definitions_of(request.get("tools") or response.get("tools"))
    metadata = {key: first[key] for key in ("model", "status", "created_at") if first.get(key) is not None}
    yield draft_of(messages, notes, first.get("id"), metadata=metadata)


def _created(record: dict[str, Json]) -> float:
    created = (_response_in(record) or {}).get("created_at")
    return float(created) if isinstance(created, int | float) else 0.0


def _read_nemo(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        (draft,) = _read(Group([item for item in group.items if item.value is record]))
        kept = {
            key: value
            for key, value in record.items()
            if key not in ("responses_create_params", "response") and isinstance(value, str | int | float | bool)
        }
        yield Draft(
            draft.messages,
            None,
            reward_outcome(record.get("reward")),
            None,
            draft.tools,
            {**draft.metadata, **kept, "response_id": draft.conversation_id},
            draft.warnings,
        )


def _is_event(record: dict[str, Json]) -> bool:
    kind = record.get("type")
    return (
        isinstance(kind, str) and kind.startswith("response.") and ("sequence_number" in record or "response" in record)
    )


def _is_chunk(record: dict[str, Json]) -> bool:
    return record.get("object") == "chat.completion.chunk" and isinstance(record.get("choices"), list)


def _stream_keys(record: Json) -> list[str]:
    return (
        [f"chunk {record['id']}"]
        if isinstance(record, dict) and isinstance(record.get("id"), str) and _is_chunk(record)
        else []
    )


def _read_stream(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    if any(_is_chunk(record) for record in records):
        chunks = [record for record in records if _is_chunk(record)]
        yield draft_of(messages_of([_joined(chunks)], notes), notes, chunks[0].get("id"))
        return
    done = [record["response"] for record in records if _ends(record)]
    for response in done:
        yield draft_of(messages_of(response.get("output") or [], notes), notes, response.get("id"))
    if not done:
        items = [record.get("item") for record in records if record.get("type") == "response.output_item.done"]
        yield draft_of(messages_of([item for item in items if isinstance(item, dict)], notes), notes)


def _ends(record: dict[str, Json]) -> bool:
    return record.get("type") in ("response.completed", "response.incomplete") and isinstance(
        record.get("response"), dict
    )


def _joined(chunks: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """The message that the chunks of a stream add up to: names and ids come first, arguments in pieces."""
    text: list[str] = []
    calls: dict[int, dict[str, Json]] = {}
    for chunk in chunks:
        choice = chunk["choices"][0] if chunk["choices"] else {}
        delta = choice.get("delta") if isinstance(choice, dict) else None
        if not isinstance(delta, dict) or choice.get("index", 0) != 0:
            continue
        if isinstance(delta.get("content"), str):
            text.append(delta["content"])
        for piece in objects(delta.get("tool_calls")):
            function = piece.get("function")
            if not isinstance(function, dict):
                continue
            index = piece.get("index")
            at = index if isinstance(index, int) else len(calls)
            call = calls.setdefault(at, {"id": "", "name": "", "arguments": ""})
            call["id"] = call["id"] or word(piece.get("id"))
            call["name"] = call["name"] or word(function.get("name"))
            call["arguments"] += word(function.get("arguments"))
    return {"role": "assistant", "content": "".join(text) or None, "tool_calls": [calls[at] for at in sorted(calls)]}


OPENAI_RESPONSES = Format(
    "openai_responses",
    "OpenAI Responses",
    lambda records: 0.9 * share(records, lambda record: _response_in(record) is not None),
    _read,
    _keys,
)
OPENAI_STREAM = Format(
    "openai_stream",
    "OpenAI streams, of chat completions or Responses",
    lambda records: 0.95 * share(records, lambda record: _is_event(record) or _is_chunk(record)),
    _read_stream,
    _stream_keys,
)
NEMO_GYM = Format(
    "nemo_gym",
    "NeMo Gym rollouts",
    lambda records: 0.97 * share(records, lambda record: "responses_create_params" in record),
    _read_nemo,
)
