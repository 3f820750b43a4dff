"""The messages of a clean OpenAI chat record in, messages out that need no second look; None for all others.

Nearly all records of a chat log are clean: read here, in one pass, they cost a quarter of what the dialects and pairing
take, which read the rest. Clean means: text, calls with JSON arguments and new ids, each result right behind its call,
and no field that is not told here.
"""

from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects.tags import has_tags
from agent_gym.trace_parser.nouns import new_call, new_message
from agent_gym.types import Json, Message, ToolCall

__all__ = ["clean_messages"]

_TEXT_ROLES: Final = ("user", "assistant", "system")


def clean_messages(raw: Json) -> tuple[Message, ...] | None:
    if type(raw) is not list:
        return None
    made: list[Message] = []
    used: set[str] = set()
    waiting: dict[str, str] = {}  # call id → name, of the calls that may be answered here
    for message in raw:
        if type(message) is not dict:
            return None
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            call_id = message.get("tool_call_id")
            name = waiting.pop(call_id, None) if type(call_id) is str else None
            if name is None or len(message) != 3 or type(content) is not str:
                return None
            if content[:1] == "<" or content[:7] == '{"type"':
                return None
            made.append(new_message("tool", None, (), name, call_id, content))
            continue
        if waiting:
            waiting = {}
        if "tool_calls" not in message:
            if role not in _TEXT_ROLES or len(message) != 2 or not _is_plain_text(content):
                return None
            made.append(new_message(role, content))
            continue
        calls = _calls(message["tool_calls"], used, waiting)
        told = content is None or (content and _is_plain_text(content))
        if calls is None or role != "assistant" or len(message) != 2 + ("content" in message) or not told:
            return None
        made.append(new_message("assistant", content, calls))
    return tuple(made)


def _is_plain_text(content: Json) -> bool:
    return type(content) is str and "###" not in content and ("<" not in content or not has_tags(content))


def _calls(raw: Json, used: set[str], waiting: dict[str, str]) -> tuple[ToolCall, ...] | None:
    """The calls, noted as used and waiting; None where one is not clean."""
    if type(raw) is not list or not raw:
        return None
    calls: list[ToolCall] = []
    for call in raw:
        function = call.get("function") if type(call) is dict else None
        if type(function) is not dict:
            return None
        name, call_id, written = function.get("name"), call.get("id"), function.get("arguments")
        if type(call_id) is not str or not call_id or call_id in used or type(name) is not str or not name:
            return None
        arguments = json_in(written) if type(written) is str else None
        if type(arguments) is not dict:
            return None
        used.add(call_id)
        waiting[call_id] = name
        calls.append(new_call(name, arguments, call_id))
    return tuple(calls)
