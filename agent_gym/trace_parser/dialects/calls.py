"""A tool call, a tool result or a tool definition of any vendor in; `ToolCall`, a tool's `Message` or a schema out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.types import Json, Message, ToolCall

__all__ = ["arguments_of", "call_of", "calls_of", "definition_of", "definitions_of", "first_text", "result_of"]

_NAME: Final = ("name", "toolName", "tool_name", "function_name")
_ID: Final = ("id", "call_id", "toolCallId", "tool_call_id", "toolUseId", "tool_use_id", "source_call_id")
_ARGUMENTS: Final = ("arguments", "args", "input", "parameters", "tool_args")
_RESULT: Final = ("result", "output", "content", "response")


def first_text(raw: Mapping[str, Json], keys: Iterable[str]) -> str:
    """The first of the fields that holds text or a number, as text without spaces around it; "" for none."""
    for key in keys:
        value = raw.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def call_of(raw: Json, notes: Notes) -> ToolCall | None:
    """The call of an object, or of JSON text of one."""
    if isinstance(raw, str):
        raw = json_in(raw)
    if not isinstance(raw, dict):
        return None
    if isinstance(inner := raw.get("tool_call"), dict):
        raw = inner
    function = raw.get("function")
    if isinstance(function, dict):
        name, given = first_text(function, _NAME), _first(function, _ARGUMENTS)
    elif isinstance(function, str):
        name, given = function, _first(raw, _ARGUMENTS)
    else:
        name, given = first_text(raw, _NAME), _first(raw, _ARGUMENTS)
    if not name:
        notes.set_aside(raw, "a tool call without a name was left out")
        return None
    return ToolCall(name, arguments_of(given, notes), first_text(raw, _ID))


def calls_of(raw: Json, notes: Notes) -> tuple[ToolCall, ...]:
    """The calls of a list, or of JSON text of one; anything else holds none."""
    if isinstance(raw, str):
        raw = json_in(raw)
    if isinstance(raw, dict):
        raw = [raw]
    if not isinstance(raw, list):
        return ()
    return tuple(call for item in raw if (call := call_of(item, notes)) is not None)


def arguments_of(given: Json, notes: Notes) -> Mapping[str, Json]:
    """The arguments as an object. A malformed call was made, and answered, too: it stays what it was, as `_raw`."""
    if isinstance(given, dict):
        return given
    if given is None or (isinstance(given, str) and not given.strip()):
        return {}
    if isinstance(given, str):
        parsed = json_in(given)
        if isinstance(parsed, str):
            parsed = json_in(parsed)
        if isinstance(parsed, dict):
            return parsed
    notes.warn("arguments that are no JSON object are kept as they were, under `_raw`", given)
    return {"_raw": given}


def result_of(raw: Mapping[str, Json], keys: Sequence[str] = _RESULT) -> Message:
    """The result a block or item states, under whatever key."""
    value = _first(raw, keys)
    is_error = raw.get("is_error") is True or raw.get("isError") is True or raw.get("status") == "error"
    if isinstance(error := raw.get("error") or raw.get("errorText"), str | dict) and value in (None, ""):
        value, is_error = error, True
    if isinstance(value, dict) and isinstance(kind := value.get("type"), str) and "value" in value:
        is_error, value = is_error or kind.startswith("error"), value["value"]
    return Message(
        "tool", None, (), first_text(raw, _NAME) or None, first_text(raw, _ID) or None, unwrapped(value), is_error
    )


def unwrapped(value: Json) -> Json:
    """A result without the wrapping of text parts: {"content": [{"type": "text", …}]} is that text."""
    if (
        isinstance(value, dict)
        and isinstance(value.get("content"), list)
        and set(value) <= {"content", "isError", "role"}
    ):
        value = value["content"]
    if not isinstance(value, list) or not value:
        return value
    if all(isinstance(part, dict) and set(part) == {"json"} for part in value):
        return value[0]["json"] if len(value) == 1 else [part["json"] for part in value]
    texts = [_text_part(part) for part in value]
    return "\n".join(text for text in texts if text is not None) if None not in texts else value


def _text_part(part: Json) -> str | None:
    if not isinstance(part, dict):
        return None
    if part.get("type") in ("text", "input_text", "output_text") or set(part) == {"text"}:
        text = part.get("text", part.get("value", part.get("content")))
        return text if isinstance(text, str) else None
    return None


def definition_of(raw: Json) -> dict[str, Json] | None:
    """A tool definition of any vendor as an OpenAI function schema; None for what is none."""
    if isinstance(raw, str):
        raw = json_in(raw)
    if not isinstance(raw, dict):
        return None
    function_of = raw.get("function")
    inner = function_of if isinstance(function_of, dict) else raw
    name = inner.get("name")
    if not isinstance(name, str) or not name or "arguments" in inner:
        return None
    parameters = next(
        (inner[k] for k in ("parameters", "input_schema", "inputSchema") if isinstance(inner.get(k), dict)), None
    )
    if isinstance(parameters, dict) and isinstance(parameters.get("json"), dict):
        parameters = parameters["json"]
    function: dict[str, Json] = {"name": name}
    if isinstance(description := inner.get("description"), str):
        function["description"] = description
    if parameters is not None:
        function["parameters"] = parameters
    return {"type": "function", "function": function}


def definitions_of(raw: Json) -> list[Mapping[str, Json]]:
    """The definitions of a list, JSON text of one, or Gemini's lists of declarations; what is none is passed over."""
    if isinstance(raw, str):
        raw = json_in(raw)
    if isinstance(raw, dict):
        raw = raw.get("tools") if isinstance(raw.get("tools"), list) else [raw]
    found: list[Mapping[str, Json]] = []
    for item in raw if isinstance(raw, list) else ():
        if isinstance(item, dict):
            nested = item.get("functionDeclarations", item.get("function_declarations", item.get("toolSpec")))
            if nested is not None:
                found += definitions_of(nested)
                continue
        if (definition := definition_of(item)) is not None:
            found.append(definition)
    return found


def _first(raw: Mapping[str, Json], keys: Iterable[str]) -> Json:
    for key in keys:
        if (value := raw.get(key)) is not None:
            return value
    return None
