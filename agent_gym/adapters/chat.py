"""Our messages in, the chat messages that templates and datasets take out."""

from collections.abc import Iterable, Mapping

from agent_gym.llm.turns import arguments_of
from agent_gym.text import as_text
from agent_gym.types import Json, Message, ToolCall

__all__ = ["chat_message", "chat_messages", "chat_tools"]


def chat_messages(messages: Iterable[Message]) -> list[dict[str, Json]]:
    return [chat_message(message) for message in messages]


def chat_message(message: Message) -> dict[str, Json]:
    """Arguments stay objects, as templates want them; results become text, as they do for every model."""
    if message.role == "tool":
        told: dict[str, Json] = {"role": "tool", "name": message.name or "", "content": _told(message)}
        return told | ({"tool_call_id": message.tool_call_id} if message.tool_call_id else {})
    plain: dict[str, Json] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        plain["tool_calls"] = [_call(call) for call in message.tool_calls]
    return plain


def _call(call: ToolCall) -> dict[str, Json]:
    named = {"type": "function", "function": {"name": call.name, "arguments": arguments_of(call.arguments)}}
    return named | ({"id": call.id} if call.id else {})


def _told(message: Message) -> str:
    result = message.result if message.result is not None else message.text
    if message.is_error and not (isinstance(result, Mapping) and "error" in result):
        result = {"error": result}
    return as_text(result)


def chat_tools(tools: Iterable[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Function schemas as templates want them: `{"type": "function", "function": …}`."""
    return [dict(tool) if "function" in tool else {"type": "function", "function": dict(tool)} for tool in tools]
