"""A request to a model beside its response, of any vendor, one call a record: what proxies and middleware write."""

import hashlib
from collections.abc import Iterator
from typing import Final

import orjson

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.formats.format import Draft, Format, Group, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.values import name_of
from agent_gym.types import Json

__all__ = ["REQUEST_RESPONSE"]

_BODIES: Final = (("request", "response"), ("input", "output"))
_INNER: Final = ("body", "inputBodyJson", "outputBodyJson", "json")
_SESSIONS: Final = ("conversation_id", "session_id", "sessionId", "thread_id", "threadId", "chat_id", "trace_id")
_NAMES: Final = ("request_id", "requestId", "id")
_STARTS: Final = ("timestamp", "start_time", "startTime", "created_at", "time")


def _bodies(record: Json) -> tuple[dict[str, Json], dict[str, Json]] | None:
    """The two bodies; None where the record does not hold both, or no messages."""
    if not isinstance(record, dict):
        return None
    for asked, answered in _BODIES:
        request, response = _body(record.get(asked)), _body(record.get(answered))
        if request and response and isinstance(request.get("messages", request.get("input")), list):
            return request, response
    return None


def _body(value: Json) -> dict[str, Json]:
    value = from_json(value)
    if not isinstance(value, dict):
        return {}
    for key in _INNER:
        if isinstance(inner := from_json(value.get(key)), dict):
            return inner
    return value


def _named(record: dict[str, Json], names: tuple[str, ...]) -> str | None:
    metadata = record.get("metadata")
    for holder in (record, metadata if isinstance(metadata, dict) else {}):
        for name in names:
            if found := name_of(holder.get(name)):
                return found
    return None


def _keys(record: Json) -> list[str]:
    """Calls of one session are one conversation; a call that names none stands alone."""
    if isinstance(record, dict) and (name := _named(record, _SESSIONS) or _named(record, _NAMES)):
        return [f"session {name}"]
    return [hashlib.blake2b(orjson.dumps(record, option=orjson.OPT_NON_STR_KEYS), digest_size=12).hexdigest()]


def _read(group: Group) -> Iterator[Draft]:
    notes = Notes()
    spans: list[Span] = []
    for number, record in enumerate(group.values):
        if (bodies := _bodies(record)) is not None:
            start = text_of(next((record[key] for key in _STARTS if record.get(key)), None))
            spans.append(Span(str(number), "llm", start=start, trace=str(number), asked=bodies[0], answered=bodies[1]))
    first = next((record for record in group.values if isinstance(record, dict)), {})
    light = {key: value for key, value in first.items() if isinstance(value, str | int | float)}
    yield from drafts_of(spans, notes, _named(first, _SESSIONS) or _named(first, _NAMES), metadata=light)


REQUEST_RESPONSE = Format(
    "request_response",
    "Requests to a model beside their responses, Bedrock invocation logs",
    lambda records: 0.9 * share(records, lambda record: _bodies(record) is not None and "custom_id" not in record),
    _read,
    _keys,
    experimental=True,
)
