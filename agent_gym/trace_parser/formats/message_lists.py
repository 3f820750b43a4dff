"""Bare messages without a conversation around them: a file of them is one conversation, unless they name theirs."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects import Notes, messages_of, one_message
from agent_gym.trace_parser.dialects.exchange import given_messages
from agent_gym.trace_parser.dialects.tags import is_chatml
from agent_gym.trace_parser.dialects.vercel import is_stream, stream_messages
from agent_gym.trace_parser.formats.exchanges import exchange_draft
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.traced import text_of
from agent_gym.types import Json

__all__ = ["MESSAGE_LIST", "MESSAGE_RECORDS", "MESSAGE_ROWS", "RAW_PROMPT", "VERCEL_STREAM"]

_FIELDS: Final = frozenset(
    ("messages", "conversations", "prompt", "completion", "chosen", "rejected", "input", "output", "tools")
)
_THREAD_MESSAGE: Final = "thread.message"  # of the Assistants API, which lists the latest first
_KEYS: Final = (
    "conversation_id",
    "session_id",
    "sessionId",
    "thread_id",
    "threadId",
    "chat_id",
    "chatId",
    "conversationId",
)


def _is_message(record: dict[str, Json]) -> bool:
    if "messages" in record or "conversations" in record:
        return False
    if record.get("object") not in (None, _THREAD_MESSAGE) or "stop_reason" in record:
        return False
    notes = Notes()
    return one_message(record, notes) is not None


def _detect_list(records: Sequence[Json]) -> float:
    known = share(records, _is_message)
    return 0.75 * known if known == 1 or (known > 0.8 and len(records) > 3) else 0.0


def _keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    return [
        f"conversation {record[key]}" for key in _KEYS if isinstance(record.get(key), str | int) and record[key] != ""
    ][:1]


def _read_list(group: Group) -> Iterator[Draft]:
    notes = Notes()
    listed = group.values
    if all(isinstance(one, dict) and one.get("object") == _THREAD_MESSAGE for one in listed):
        listed.sort(key=lambda one: text_of(one.get("created_at")))
    messages = messages_of(listed, notes)
    found = _keys(listed[0])
    yield draft_of(messages, notes, found[0].removeprefix("conversation ") if found else None)


def _is_row(record: Json) -> bool:
    return (
        isinstance(record, list)
        and bool(record)
        and all(isinstance(item, dict) and _is_message(item) for item in record)
    )


def _rows(record: Json) -> list[tuple[str | None, Json]]:
    """The lists of messages of a record, which is one itself, or holds several by the conversations' ids."""
    if _is_row(record):
        return [(None, record)]
    if not isinstance(record, dict) or len(record) < 2 or not _FIELDS.isdisjoint(record):
        return []
    return list(record.items()) if all(_is_row(row) for row in record.values()) else []


def _detect_rows(records: Sequence[Json]) -> float:
    return 0.8 * (sum(bool(_rows(record)) for record in records) / len(records)) if records else 0.0


def _is_foreign(record: dict[str, Json]) -> bool:
    """Whether its messages are all known, and some, or the list itself, not in the form that most vendors share."""
    messages = record.get("messages")
    if isinstance(messages, str):  # a column of a table that cannot hold lists
        return _is_row(json_in(messages))
    if not isinstance(messages, list) or not _is_row(messages):
        return False
    return any(
        "role" not in message or isinstance(message.get("parts", message.get("toolInvocations")), list)
        for message in messages
    )


def _read_records(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict):
            yield exchange_draft(record)


def _read_rows(group: Group) -> Iterator[Draft]:
    for record in group.values:
        for name, row in _rows(record) or [(None, record)]:
            notes = Notes()
            yield draft_of(messages_of(row, notes), notes, name)


def _read_stream(group: Group) -> Iterator[Draft]:
    notes = Notes()
    yield draft_of(stream_messages(group.values, notes), notes, _stream_id(group.values))


def _stream_id(chunks: Sequence[Json]) -> Json:
    return next((c.get("messageId") for c in chunks if isinstance(c, dict) and c.get("type") == "start"), None)


def _detect_stream(records: Sequence[Json]) -> float:
    typed = share(records, lambda record: isinstance(record.get("type"), str))
    return 0.95 * typed if is_stream(records) else 0.0


def _prompt(record: dict[str, Json]) -> str | None:
    texts = [value for value in record.values() if isinstance(value, str) and is_chatml(value)]
    return texts[0] if texts else None


def _read_prompts(group: Group) -> Iterator[Draft]:
    for record in group.values:
        notes = Notes()
        if isinstance(record, dict) and (text := _prompt(record)) is not None:
            yield draft_of(given_messages(text, notes), notes, record.get("id"))


MESSAGE_LIST = Format("message_list", "A file of bare messages of any vendor", _detect_list, _read_list, _keys)
MESSAGE_ROWS = Format("message_rows", "One list of messages a line, of any vendor", _detect_rows, _read_rows)
MESSAGE_RECORDS = Format(
    "message_records",
    "Conversations of LangChain, Vercel UI or pydantic-ai messages, each in a record",
    lambda records: 0.97 * share(records, _is_foreign),
    _read_records,
)
VERCEL_STREAM = Format("vercel_stream", "Vercel AI SDK UI message stream", _detect_stream, _read_stream, lambda _: ())
RAW_PROMPT = Format(
    "chatml",
    "Raw ChatML prompts in a text field",
    lambda records: 0.65 * share(records, lambda record: _prompt(record) is not None),
    _read_prompts,
    experimental=True,
)
