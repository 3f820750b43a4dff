"""The messages of a loose record in, messages in the strict trace schema out, positions and leftovers noted."""

import reprlib
from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.repairs import Repairs
from agent_gym.types import ROLES, Json

__all__ = ["shaped_messages"]

_FIELDS: Final = {
    "system": ("content",),
    "user": ("content", "tool_calls", "final"),
    "assistant": ("content", "tool_calls", "trainable"),
    "tool": ("content", "name", "tool_call_id", "result", "is_error"),
}
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters")
_ONE_OF_ROLES: Final = f"a role is one of {', '.join(sorted(ROLES))}"


def shaped_messages(messages: list[Json], repairs: Repairs) -> list[dict[str, Json]]:
    kept: list[dict[str, Json]] = []
    positions: list[int] = []
    for at, message in _with_calls(messages, repairs):
        shaped = _message(at, message, repairs)
        if shaped is not None:
            kept.append(shaped)
            positions.append(at)
    if messages and not kept:
        roles = ", ".join(sorted({repr(m["role"]) for m in messages}))
        raise repairs.error(f"no message has a known role; found {roles}", _ONE_OF_ROLES)
    repairs.positions = positions
    return kept


def _with_calls(messages: list[Json], repairs: Repairs) -> list[tuple[int, Json]]:
    """The messages with their positions; where none holds calls, a result that states arguments implies its call."""
    if any(isinstance(m, dict) and m.get("tool_calls") for m in messages):
        return list(enumerate(messages))
    placed: list[tuple[int, Json]] = []
    caller: dict[str, Json] | None = None
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") != "tool":
            caller = message if isinstance(message, dict) and message.get("role") == "assistant" else None
        elif message.get("name") and message.get("arguments") is not None:
            if caller is None:
                caller = {"role": "assistant"}
                placed.append((at, caller))
            call = {"name": message["name"], "arguments": message.pop("arguments")}
            caller["tool_calls"] = [*(caller.get("tool_calls") or ()), call | {"id": message.get("tool_call_id")}]
            repairs.note("call_made_from_result")
        placed.append((at, message))
    return placed


def _message(at: int, message: Json, repairs: Repairs) -> dict[str, Json] | None:
    """The message, or None where its role is unknown and it has been set aside."""
    if not isinstance(message, dict):
        raise repairs.error(f"message {at} is not an object: {reprlib.repr(message)}", "expected {role, content, …}")
    role = message.get("role")
    if not isinstance(role, str):
        raise repairs.error(f"message {at} has no role, found {reprlib.repr(role)}", _ONE_OF_ROLES)
    if role not in ROLES:
        if role.strip().lower() not in ROLES:
            repairs.note("other_role_set_aside")
            repairs.set_aside(at, message)
            return None
        repairs.note("role_lowercased")
        role = role.strip().lower()
    return _of_role(at, role, message, repairs)


def _of_role(at: int, role: str, message: dict[str, Json], repairs: Repairs) -> dict[str, Json]:
    extras = {k: v for k, v in message.items() if k not in _FIELDS[role] and k != "role" and v is not None}
    shaped: dict[str, Json] = {"role": role}
    for key in _FIELDS[role]:
        if (value := message.get(key)) is None:
            continue
        if key == "content":
            shaped |= _content(at, role, value, extras, repairs)
        elif key == "tool_calls":
            shaped[key] = _calls(at, value, extras, repairs)
        elif key in ("name", "tool_call_id"):
            shaped[key] = _text(at, key, value, repairs)
        elif key == "result":
            shaped[key] = value
        elif isinstance(value, bool) or value in (0, 1):
            shaped[key] = bool(value)
        else:
            extras[key] = value
    if extras:
        repairs.note("message_field_set_aside", len(extras))
        repairs.keep_extras(at, extras)
    return shaped


def _content(at: int, role: str, value: Json, extras: dict[str, Json], repairs: Repairs) -> dict[str, Json]:
    if isinstance(value, str):
        return {"content": value}
    if isinstance(value, list) and _are_parts(value, role):
        repairs.note("content_parts_joined")
        if not all(isinstance(part, str) or set(part) <= {"type", "text"} for part in value):
            extras["content"] = value
        texts = [part if isinstance(part, str) else part.get("text") for part in value]
        return {"content": "\n".join(text for text in texts if isinstance(text, str))}
    if role == "tool":
        repairs.note("result_from_content")
        return {"result": value}
    if isinstance(value, int | float) and not isinstance(value, bool):
        repairs.note("value_as_text")
        return {"content": str(value)}
    raise repairs.error(f"content of message {at} is not text: {reprlib.repr(value)}", "content is text, or null")


def _are_parts(content: list[Json], role: str) -> bool:
    """Whether the list is text in parts; a tool's list may as well be the rows of its result."""
    if role == "tool":
        return any(isinstance(part, dict) and part.get("type") == "text" for part in content)
    return all(isinstance(part, dict | str) for part in content)


def _text(at: int, key: str, value: Json, repairs: Repairs) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        repairs.note("value_as_text")
        return str(value)
    raise repairs.error(f"`{key}` of message {at} is not text: {reprlib.repr(value)}", f"write `{key}` as text")


def _calls(at: int, calls: Json, extras: dict[str, Json], repairs: Repairs) -> list[Json]:
    if isinstance(calls, str) and isinstance(parsed := json_in(calls), list):
        repairs.note("calls_from_text")
        calls = parsed
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        reason = f"tool_calls of message {at} is not a list of objects: {reprlib.repr(calls)}"
        raise repairs.error(reason, "expected [{id, name, arguments}, …]")
    left: list[dict[str, Json]] = []
    shaped = [_call(at, n, call, left, repairs) for n, call in enumerate(calls)]
    if any(left):
        extras["tool_calls"] = left
    return shaped


def _call(at: int, n: int, call: dict[str, Json], left: list[dict[str, Json]], repairs: Repairs) -> Json:
    """The call in the schema; what else it held is appended to `left`, an empty object for nothing."""
    flat = {key: value for key, value in call.items() if value is not None}
    if isinstance(function := flat.get("function"), dict):
        repairs.note("function_call_unfolded")
        del flat["function"]
        flat = {key: value for key, value in flat.items() if (key, value) != ("type", "function")} | function
    name = flat.pop("name", None)
    if not isinstance(name, str) or not name:
        reason = f"tool call {n} of message {at} has no name, found {reprlib.repr(name)}"
        raise repairs.error(reason, "expected {id, name, arguments}")
    call_id = _text(at, "id of a tool call", flat.pop("id", ""), repairs)
    arguments = _arguments(flat, repairs)
    left.append(flat)
    return {"id": call_id, "name": name, "arguments": arguments}


def _arguments(call: dict[str, Json], repairs: Repairs) -> dict[str, Json]:
    """Takes the arguments out of the call."""
    key = next((key for key in _ARGUMENTS if key in call), None)
    if key is None:
        repairs.note("arguments_missing")
        return {}
    if key != "arguments":
        repairs.note("arguments_renamed")
    value = call.pop(key)
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        if not value.strip():
            repairs.note("arguments_missing")
            return {}
        if isinstance(parsed := json_in(value), dict):
            repairs.note("arguments_parsed")
            return parsed
    # A malformed call was made, and answered, too: it stays what it was.
    repairs.note("arguments_not_an_object")
    return {"_raw": value}
