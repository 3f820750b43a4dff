"""A ShareGPT turn in ({"from", "value"} and its tool variants), messages out."""

from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects.calls import call_of
from agent_gym.trace_parser.dialects.chat import chat_message, role_of
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.types import Json, Message

__all__ = ["is_turn", "sharegpt_turn"]

_CALLERS: Final = ("function_call", "tool_call", "function-call")


def is_turn(raw: dict[str, Json]) -> bool:
    return isinstance(raw.get("from"), str) and ("value" in raw or "content" in raw)


def sharegpt_turn(raw: dict[str, Json], notes: Notes) -> list[Message] | None:
    """None where nobody knows the speaker."""
    speaker, value = raw["from"].strip().lower(), raw.get("value", raw.get("content"))
    if speaker in _CALLERS:
        parsed = json_in(value) if isinstance(value, str) else value
        listed = parsed if isinstance(parsed, list) else [parsed]
        calls = tuple(call for item in listed if (call := call_of(item, notes)) is not None)
        if calls:
            return [Message("assistant", None, calls)]
        notes.warn("a tool call that is no JSON stays in the text", value)
        return [Message("assistant", value if isinstance(value, str) else str(value))]
    role = role_of(speaker)
    if role is None:
        return None
    text = value if isinstance(value, str | list) or value is None else str(value)
    return chat_message({"content": text if text is not None else "", "name": raw.get("name")}, role, notes)
