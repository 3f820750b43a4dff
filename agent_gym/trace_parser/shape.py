"""A loose record in, one in the strict trace schema out: wrong kinds of values mended by name, or the record refused.

The record is changed in place. Nothing is lost: fields the schema does not have go into the metadata.
"""

import hashlib
from typing import Final

import orjson

from agent_gym.trace_parser.messages import shaped_messages
from agent_gym.trace_parser.repairs import Repairs
from agent_gym.types import Json

__all__ = ["shaped"]

_FIELDS: Final = ("conversation_id", "messages", "outcome", "satisfaction_score", "tools", "metadata")


def shaped(record: Json, repairs: Repairs) -> dict[str, Json]:
    if not isinstance(record, dict):
        hint = "a conversation is an object with a list of messages"
        raise repairs.error(f"it is {_kind(record)}, not an object", hint)
    messages = _messages(record, repairs)
    conversation_id = _conversation_id(record, repairs)
    metadata = _metadata(record, repairs)
    return {
        "conversation_id": conversation_id,
        "messages": shaped_messages(messages, repairs),
        "outcome": _or_raw("outcome", record, _outcome(record.get("outcome"), repairs), repairs),
        "satisfaction_score": _or_raw(
            "satisfaction_score", record, _score(record.get("satisfaction_score"), repairs), repairs
        ),
        "tools": _or_raw("tools", record, _tools(record.get("tools")), repairs) or [],
        "metadata": metadata,
    }


def _kind(value: Json) -> str:
    names = {dict: "an object", list: "an array", str: "text", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def _messages(record: dict[str, Json], repairs: Repairs) -> list[Json]:
    if "messages" not in record:
        found = ", ".join(repr(key) for key in sorted(record)[:8]) or "nothing"
        hint = "put the conversation into `messages`, a list of {role, content, …}"
        raise repairs.error(f"it has no `messages`; its fields are {found}", hint)
    messages = record["messages"]
    if not isinstance(messages, list):
        raise repairs.error(f"`messages` is {_kind(messages)}, not a list", "expected [{role, content, …}, …]")
    return messages


def _conversation_id(record: dict[str, Json], repairs: Repairs) -> str:
    given = record.get("conversation_id")
    if isinstance(given, str) and given:
        return given
    if given is not None and given != "":
        return _id_text("conversation_id", given, repairs)
    if record.get("id") not in (None, ""):
        repairs.note("conversation_id_from_id")
        return _id_text("id", record.pop("id"), repairs)
    repairs.note("conversation_id_made")
    content = orjson.dumps(record, option=orjson.OPT_SORT_KEYS)
    return f"conversation-{hashlib.blake2b(content, digest_size=6).hexdigest()}"


def _id_text(key: str, given: Json, repairs: Repairs) -> str:
    if isinstance(given, str):
        return given
    if isinstance(given, bool | list | dict):
        raise repairs.error(f"`{key}` is {_kind(given)}, not text", "give every conversation a text of its own")
    repairs.note("conversation_id_as_text")
    return str(given)


def _metadata(record: dict[str, Json], repairs: Repairs) -> dict[str, Json]:
    given = record.get("metadata")
    metadata = _or_raw("metadata", record, given if isinstance(given, dict) else None, repairs) or {}
    for key in [key for key in record if key not in _FIELDS]:
        repairs.note("field_moved_to_metadata")
        if key in metadata and metadata[key] != record[key]:
            repairs.raw[key] = record[key]
        else:
            metadata[key] = record[key]
    return metadata


def _or_raw(key: str, record: dict[str, Json], mended: Json, repairs: Repairs) -> Json:
    """The field as mended; where that was not possible, None, and the value is kept as it was."""
    if mended is None and record.get(key) is not None:
        repairs.note("field_kept_raw")
        repairs.raw[key] = record[key]
    return mended


def _outcome(value: Json, repairs: Repairs) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict | list):
        return None
    repairs.note("outcome_as_text")
    if isinstance(value, bool):
        return "resolved" if value else "unresolved"
    return str(value)


def _score(value: Json, repairs: Repairs) -> float | None:
    # True is a thumb, not a number of stars: without a scale it is not a score.
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        return None
    try:
        number = orjson.loads(value.strip())
    except orjson.JSONDecodeError:
        return None
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    repairs.note("score_from_text")
    return float(number)


def _tools(value: Json) -> list[Json] | None:
    return value if isinstance(value, list) and all(isinstance(tool, dict) for tool in value) else None
