"""The messages of a clean OpenAI chat record in, messages out that need no second look; None for all others.

Nearly all records of a chat log are clean: read here, in one pass, they cost a quarter of what the dialects and pairing
take, which read the rest. Clean means: text, calls with JSON arguments and new ids, each result right behind its call,
and no field that is not told here.
"""

from typing import Final

import orjson

from agent_gym.trace_parser.dialects.tags import has_tags
from agent_gym.types import Json, Message, Role, ToolCall

__all__ = ["clean_messages"]


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
            if name is None or len(message) != 3 or not _is_plain_result(content):
                return None
            made.append(_message("tool", None, (), name, call_id, content))
            continue
        waiting = {}
        if "tool_calls" not in message:
            if role not in _TEXT_ROLES or len(message) != 2 or not _is_plain_text(content):
                return None
            made.append(_message(role, content))
            continue
        calls = _calls(message["tool_calls"], used, waiting)
        told = content is None or (content and _is_plain_text(content))
        if calls is None or role != "assistant" or len(message) != 2 + ("content" in message) or not told:
            return None
        made.append(_message("assistant", content, calls))
    return tuple(made)


def _is_plain_text(content: Json) -> bool:
    return type(content) is str and "###" not in content and not ("<" in content and has_tags(content))


def _is_plain_result(content: Json) -> bool:
    return type(content) is str and content[:1] != "<" and content[:7] != '{"type"'


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
        arguments = _object_in(written)
        if arguments is None:
            return None
        used.add(call_id)
        waiting[call_id] = name
        calls.append(_call(name, arguments, call_id))
    return tuple(calls)


def _object_in(written: Json) -> dict[str, Json] | None:
    if type(written) is not str:
        return None
    try:
        arguments = orjson.loads(written)
    except orjson.JSONDecodeError:
        return None
    return arguments if type(arguments) is dict else None


_TEXT_ROLES: Final = ("user", "assistant", "system")
# Making the frozen nouns is half of reading them. Their slots, set directly, take less than half of what `__init__` of
# a frozen dataclass does; nobody has seen the objects yet.
(_set_role, _set_content, _set_calls, _set_name, _set_id, _set_result, _set_is_error, _set_trainable, _set_final) = (
    vars(Message)[name].__set__ for name in Message.__slots__
)
_set_call_name, _set_arguments, _set_call_id = (vars(ToolCall)[name].__set__ for name in ToolCall.__slots__)
_new: Final = object.__new__


def _message(
    role: Role,
    content: str | None,
    calls: tuple[ToolCall, ...] = (),
    name: str | None = None,
    call_id: str | None = None,
    result: Json = None,
) -> Message:
    message = _new(Message)
    _set_role(message, role)
    _set_content(message, content)
    _set_calls(message, calls)
    _set_name(message, name)
    _set_id(message, call_id)
    _set_result(message, result)
    _set_is_error(message, False)
    _set_trainable(message, False)
    _set_final(message, False)
    return message


def _call(name: str, arguments: dict[str, Json], call_id: str) -> ToolCall:
    call = _new(ToolCall)
    _set_call_name(call, name)
    _set_arguments(call, arguments)
    _set_call_id(call, call_id)
    return call
