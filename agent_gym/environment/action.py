"""Whatever an agent sends in, a Message out; what cannot be one is the agent's mistake, told as text."""

from collections.abc import Mapping
from dataclasses import replace

import orjson

from agent_gym.errors import MessageError
from agent_gym.types import Json, Message

__all__ = ["Action", "read_action"]

Action = Message | Mapping[str, Json] | str


def read_action(action: Action) -> Message | str:
    """The message an action says, or what is wrong with it.

    A Message, a dict in the trace schema, plain text for the customer, or JSON text with `tool_calls`.
    """
    given: Json = _read_text(action) if isinstance(action, str) else action  # an agent may send anything
    if not isinstance(given, Message | Mapping):
        return f"an action is a message, a dict or a text, found {type(given).__name__}"
    try:
        message = Message.of(given, role="assistant")
    except MessageError as error:
        return str(error)
    if message.role != "assistant":
        return f"an action is the assistant's, found role {message.role!r}"
    if not message.tool_calls and not message.text.strip():
        return "the action is empty: reply to the customer or call a tool"
    calls = tuple(replace(call, id=call.id or f"call_{at}") for at, call in enumerate(message.tool_calls))
    return replace(message, tool_calls=calls, trainable=True)


def _read_text(text: str) -> Mapping[str, Json]:
    """JSON with `tool_calls` is an action of its own; any other text is a reply, braces or not."""
    stripped = text.strip()
    if stripped.startswith("{") and '"tool_calls"' in stripped:
        try:
            found = orjson.loads(stripped)
        except ValueError:
            return {"content": text}
        if isinstance(found, dict) and "tool_calls" in found:
            return found
    return {"content": text}
