"""A decoded record in, its trace out where it is plainly in the trace schema and settled; None for all others.

Nearly all records of such a log are: checked and built here, in one pass, they cost half of what the strict schema and
the look for pairs take, which decide the rest. It knows no flags of training, and no control tokens.
"""

from typing import Final

from agent_gym.trace_parser.nouns import new_call, new_message, new_trace
from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["clean_trace"]

_FIELDS: Final = frozenset(("conversation_id", "messages", "outcome", "satisfaction_score", "tools", "metadata"))
_TEXT_ROLES: Final = ("user", "assistant", "system")


def clean_trace(record: Json) -> Trace | None:
    if type(record) is not dict or not _FIELDS.issuperset(record):
        return None
    name, outcome, score = record.get("conversation_id"), record.get("outcome"), record.get("satisfaction_score")
    if type(name) is not str or not name or not (outcome is None or type(outcome) is str):
        return None
    tools, metadata = record.get("tools", []), record.get("metadata", {})
    if type(tools) is not list or type(metadata) is not dict or not all(type(tool) is dict for tool in tools):
        return None
    messages = _messages(record.get("messages"))
    if messages is None or not (score is None or type(score) is float):
        return None
    return new_trace(name, messages, outcome, score, tuple(tools), metadata)


def _messages(raw: Json) -> tuple[Message, ...] | None:
    if type(raw) is not list:
        return None
    made: list[Message] = []
    used: set[str] = set()
    waiting: dict[str, str] = {}  # call id → name, of the calls that may be answered here
    for message in raw:
        if type(message) is not dict:
            return None
        role = message.get("role")
        if role == "tool":
            if (result := _result(message, waiting)) is None:
                return None
            made.append(result)
            continue
        if waiting:
            waiting = {}
        content = message.get("content")
        if "tool_calls" not in message:
            if len(message) != 2 or role not in _TEXT_ROLES or type(content) is not str or "###" in content:
                return None
            made.append(new_message(role, content))
            continue
        calls = _calls(message["tool_calls"], used, waiting)
        told = content is None or (type(content) is str and "###" not in content)
        if calls is None or role != "assistant" or len(message) != 2 + ("content" in message) or not told:
            return None
        made.append(new_message("assistant", content, calls))
    return tuple(made)


def _result(message: dict[str, Json], waiting: dict[str, str]) -> Message | None:
    """The result of a call that waits for one; None where it is not clean."""
    call_id, is_error = message.get("tool_call_id"), message.get("is_error", False)
    name = waiting.pop(call_id, None) if type(call_id) is str else None
    if name is None or name != message.get("name") or "result" not in message or type(is_error) is not bool:
        return None
    if len(message) != 4 + ("is_error" in message):
        return None
    return new_message("tool", None, (), name, call_id, message["result"], is_error)


def _calls(raw: Json, used: set[str], waiting: dict[str, str]) -> tuple[ToolCall, ...] | None:
    """The calls, noted as used and waiting; None where one is not clean."""
    if type(raw) is not list:
        return None
    calls: list[ToolCall] = []
    for call in raw:
        if type(call) is not dict or len(call) != 3:
            return None
        name, arguments, call_id = call.get("name"), call.get("arguments"), call.get("id")
        if type(name) is not str or not name or type(call_id) is not str or not call_id or call_id in used:
            return None
        if type(arguments) is not dict:
            return None
        used.add(call_id)
        waiting[call_id] = name
        calls.append(new_call(name, arguments, call_id))
    return tuple(calls)
