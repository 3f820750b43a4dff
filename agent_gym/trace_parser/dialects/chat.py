"""A message with a role and content in (OpenAI chat, Anthropic, Bedrock, Gemini, OpenTelemetry), messages out."""

from typing import Final

from agent_gym.trace_parser.dialects.calls import call_of, calls_of, definition_of, first_text, unwrapped
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.dialects.parts import messages_from, pieces_of
from agent_gym.trace_parser.dialects.tags import has_tags, tagged_messages
from agent_gym.types import Json, Message, Role, ToolCall

__all__ = ["ROLE_WORDS", "chat_message", "role_of"]

ROLE_WORDS: Final[dict[str, Role]] = {
    "system": "system", "developer": "system",
    "user": "user", "human": "user", "input": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "gpt": "assistant", "chatgpt": "assistant",
    "bard": "assistant", "bing": "assistant", "output": "assistant", "chatbot": "assistant",
    "tool": "tool", "function": "tool", "ipython": "tool", "observation": "tool", "function_response": "tool",
    "tool_response": "tool", "tool_result": "tool",
}  # fmt: skip


def role_of(word: Json) -> Role | None:
    return ROLE_WORDS.get(word) or ROLE_WORDS.get(word.strip().lower()) if isinstance(word, str) else None


def chat_message(raw: dict[str, Json], role: Role, notes: Notes) -> list[Message]:
    content = raw.get("content")
    calls = raw.get("tool_calls")
    if role == "tool":
        return _tool_message(raw, notes)
    if (
        isinstance(content, str)
        and not calls
        and "function_call" not in raw
        and not ("<" in content and has_tags(content))
    ):
        return [Message(role, content)]
    if role == "assistant":
        return _assistant(raw, content, notes)
    if isinstance(content, str):
        return tagged_messages(role, content, notes)
    pieces = pieces_of(raw.get("parts") if content is None else content, notes)
    found = messages_from(role, pieces)
    if calls:  # a simulated customer's own tools
        said = Message(role, pieces.text, calls_of(calls, notes))
        return [*(message for message in found if message.role == "tool"), said]
    return found


def _assistant(raw: dict[str, Json], content: Json, notes: Notes) -> list[Message]:
    calls = calls_of(raw.get("tool_calls"), notes)
    if not calls and isinstance(function_call := raw.get("function_call"), dict):
        calls = tuple(call for call in [call_of(function_call, notes)] if call is not None)
    if isinstance(content, str):
        if not calls and has_tags(content):
            return tagged_messages("assistant", content, notes)
        return [Message("assistant", content if content or not calls else None, calls)]
    pieces = pieces_of(raw.get("parts") if content is None else content, notes)
    if isinstance(refusal := raw.get("refusal"), str) and not pieces.texts:
        pieces.texts.append(refusal)
    # LangChain logs a call twice, as a block of the content and beside it: it was made once.
    pieces.calls = [*calls, *(call for call in pieces.calls if not _listed(call, calls))]
    return messages_from("assistant", pieces)


def _listed(call: ToolCall, calls: tuple[ToolCall, ...]) -> bool:
    return any(other.id == call.id and other.name == call.name for other in calls)


def _tool_message(raw: dict[str, Json], notes: Notes) -> list[Message]:
    content = raw.get("content")
    if _is_definition(content):
        notes.tools.append(definition_of(content) or {})
        return []
    if isinstance(content, str) and "<tool_response>" in content:
        return tagged_messages("tool", content, notes)
    if isinstance(content, list | dict) or "parts" in raw:
        pieces = pieces_of(raw.get("parts") if content is None else content, notes) if _holds_results(raw) else None
        if pieces is not None:
            return pieces.results
    name = first_text(raw, ("name", "tool_name", "toolName")) or None
    if name is None and isinstance(function := raw.get("function"), str):
        name = function
    ids = raw.get("tool_call_ids")
    call_id = first_text(raw, ("tool_call_id", "toolCallId")) or (str(ids[0]) if isinstance(ids, list) and ids else "")
    result, error = raw.get("result", content), raw.get("error")
    is_error = raw.get("is_error") is True or raw.get("status") == "error" or bool(error)
    if isinstance(error, dict) and result in (None, ""):
        result = error.get("message", error)
    elif isinstance(error, str) and result in (None, ""):
        result = error
    return [Message("tool", None, (), name, call_id or first_text(raw, ("id",)) or None, unwrapped(result), is_error)]


def _is_definition(content: Json) -> bool:
    """Some handlers log the tools an agent has as messages of the role tool."""
    if isinstance(content, str):
        return content.startswith('{"type":"function"') and definition_of(content) is not None
    return isinstance(content, dict) and content.get("type") == "function" and definition_of(content) is not None


def _holds_results(raw: dict[str, Json]) -> bool:
    parts = raw.get("parts") if raw.get("content") is None else raw.get("content")
    kinds = ("tool-result", "tool_result", "tool_call_response", "functionResponse", "function_response", "toolResult")
    return isinstance(parts, list) and any(
        isinstance(part, dict) and (part.get("type") in kinds or any(kind in part for kind in kinds)) for part in parts
    )
