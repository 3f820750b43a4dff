"""A request or response of a pydantic-ai history in, messages out."""

from agent_gym.trace_parser.dialects.calls import arguments_of, first_text
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.dialects.parts import pieces_of
from agent_gym.types import Json, Message, ToolCall

__all__ = ["is_history", "pydantic_ai_message"]


def is_history(raw: dict[str, Json]) -> bool:
    parts = raw.get("parts")
    return raw.get("kind") in ("request", "response") and isinstance(parts, list)


def pydantic_ai_message(raw: dict[str, Json], notes: Notes) -> list[Message]:
    parts = [part for part in raw["parts"] if isinstance(part, dict)]
    if raw["kind"] == "response":
        return _response(parts, notes)
    found = [message for part in parts for message in _request_part(part, notes)]
    instructions = raw.get("instructions")
    if isinstance(instructions, str) and not any(message.role == "system" for message in found):
        found.insert(0, Message("system", instructions))
    return found


def _response(parts: list[dict[str, Json]], notes: Notes) -> list[Message]:
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[Message] = []
    for part in parts:
        kind = part.get("part_kind")
        if kind in ("tool-call", "builtin-tool-call"):
            name = first_text(part, ("tool_name",)) or "unnamed"
            calls.append(ToolCall(name, arguments_of(part.get("args"), notes), first_text(part, ("tool_call_id",))))
        elif kind == "builtin-tool-return":
            results.append(_return(part))
        elif kind == "text" and isinstance(content := part.get("content"), str):
            texts.append(content)
        elif kind != "compaction":
            notes.warn("reasoning is not part of a conversation and was left out")
    text = "\n".join(texts) if texts else None
    return [*([Message("assistant", text, tuple(calls))] if calls or text is not None else []), *results]


def _request_part(part: dict[str, Json], notes: Notes) -> list[Message]:
    kind = part.get("part_kind")
    if kind in ("tool-return", "builtin-tool-return"):
        return [_return(part)]
    if kind == "retry-prompt" and part.get("tool_name"):
        return [_return(part, is_error=True)]
    if kind in ("system-prompt", "instruction"):
        return [Message("system", pieces_of(part.get("content"), notes).text or "")]
    if kind in ("user-prompt", "retry-prompt"):
        return [Message("user", pieces_of(part.get("content"), notes).text or "")]
    return []


def _return(part: dict[str, Json], is_error: bool = False) -> Message:
    name, call_id = first_text(part, ("tool_name",)), first_text(part, ("tool_call_id",))
    failed = is_error or part.get("outcome") in ("failed", "denied")
    return Message("tool", None, (), name or None, call_id or None, part.get("content"), failed)
