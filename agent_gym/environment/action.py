"""Whatever an agent sends in, a Message out; what cannot be one is the agent's mistake, told as text."""

from collections.abc import Mapping

import orjson

from agent_gym.errors import MessageError
from agent_gym.types import Json, Message, ToolCall

__all__ = ["Action", "action_text", "read_action"]

Action = Message | Mapping[str, Json] | str


def read_action(action: Action) -> Message | str:
    """The message an action says, or what is wrong with it.

    A Message, a dict in the trace schema, plain text for the customer, or JSON text with `tool_calls`.
    """
    given: Json = action  # an agent may send anything
    try:
        if isinstance(given, str):
            given = _read_text(given)
        if not isinstance(given, Message | Mapping):
            return f"an action is a message, a dict or a text, found {type(given).__name__}"
        message = Message.of(given, role="assistant")
        # What cannot be written down cannot be stored or sent on: lone surrogates, objects of Python's.
        orjson.dumps(
            [message.content, [(call.id, call.name, call.arguments) for call in message.tool_calls]], default=dict
        )
    except MessageError as error:
        return str(error)
    except orjson.JSONDecodeError as error:
        return f"the action's JSON is broken: {error}"
    except orjson.JSONEncodeError as error:
        return f"the action cannot be written as JSON: {error}"
    if message.role != "assistant":
        return f"an action is the assistant's, found role {message.role!r}"
    if not message.tool_calls and not message.text.strip():
        return "the action is empty: reply to the customer or call a tool"
    calls = tuple(
        call if call.id else ToolCall(call.name, call.arguments, f"call_{at}")
        for at, call in enumerate(message.tool_calls)
    )
    return Message("assistant", message.content, calls, trainable=True)


def action_text(message: Message) -> str:
    """The text that `read_action` reads as this message of the assistant's."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in message.tool_calls]
    if not calls and not _is_json_action(message.text):
        return message.text
    return orjson.dumps({"content": message.content, "tool_calls": calls}, default=dict).decode()


def _read_text(text: str) -> Mapping[str, Json]:
    """JSON with `tool_calls` is an action of its own; any other text is a reply, braces or not."""
    if _is_json_action(text):
        found: Mapping[str, Json] = orjson.loads(text.strip())
        if "tool_calls" in found:
            return found
    return {"content": text}


def _is_json_action(text: str) -> bool:
    return text.lstrip().startswith("{") and '"tool_calls"' in text
