"""A message of the OpenTelemetry GenAI conventions in, messages out, where it needs no second look; None for the rest.

Span logs repeat whole histories of such messages; nearly all hold only text, calls with an object of arguments, and
results, which are read here at half of what reading the parts of any vendor costs.
"""

from agent_gym.trace_parser.dialects.calls import unwrapped
from agent_gym.trace_parser.nouns import new_call, new_message
from agent_gym.types import Json, Message, Role, ToolCall

__all__ = ["genai_messages"]


def genai_messages(role: Role, parts: list[Json]) -> list[Message] | None:
    if len(parts) == 1 and role != "tool" and (text := _text(parts[0])) is not None:  # most messages
        return [new_message(role, text)]
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[Message] = []
    for part in parts:
        if type(part) is not dict:
            return None
        kind = part.get("type")
        if kind == "text":
            if (text := _text(part)) is None:
                return None
            texts.append(text)
        elif kind == "tool_call":
            if (call := _call(part)) is None:
                return None
            calls.append(call)
        elif kind != "tool_call_response" or (result := _result(part)) is None:
            return None
        else:
            results.append(result)
    return _ordered(role, "\n".join(texts) if texts else None, tuple(calls), results)


def _ordered(role: Role, text: str | None, calls: tuple[ToolCall, ...], results: list[Message]) -> list[Message] | None:
    if role == "assistant":
        return [new_message(role, text, calls), *results] if calls or text is not None else results
    if calls or (role == "tool" and text is not None):
        return None
    return results if text is None else [*results, new_message(role, text)]


def _text(part: Json) -> str | None:
    if type(part) is not dict or len(part) != 2 or part.get("type") != "text":
        return None
    text = part.get("content")
    return text if isinstance(text, str) else None


def _call(part: dict[str, Json]) -> ToolCall | None:
    name, call_id, arguments = part.get("name"), part.get("id"), part.get("arguments")
    if len(part) != 4 or not (isinstance(name, str) and isinstance(call_id, str) and isinstance(arguments, dict)):
        return None
    name = name.strip()
    return new_call(name, arguments, call_id.strip()) if name else None


def _result(part: dict[str, Json]) -> Message | None:
    call_id, result = part.get("id"), part.get("response")
    if len(part) != 3 or result is None or not isinstance(call_id, str):
        return None
    if isinstance(result, dict) and "value" in result:
        return None
    return new_message("tool", None, (), None, call_id.strip() or None, unwrapped(result))
