"""The parts of one provider message in (OpenAI, Anthropic, Bedrock, Gemini, OpenTelemetry, Vercel), what they say out.

Vendors name their parts differently, but never the same name for different things; so one table reads them all.
"""

from dataclasses import dataclass, field
from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects.calls import call_of, result_of
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.values import word
from agent_gym.types import Json, Message, Role, ToolCall

__all__ = ["Pieces", "messages_from", "pieces_of"]

_TEXT: Final = {"text", "input_text", "output_text", "refusal", "summary_text", "markdown"}
_THOUGHT: Final = {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "thought", "redacted-reasoning"}
_CALL: Final = {
    "tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "tool_call", "function_call", "server_tool_call",
}  # fmt: skip
_RESULT: Final = {
    "tool_result",
    "tool-result",
    "tool_call_response",
    "function_call_output",
    "server_tool_call_response",
}
_NO_CONTENT: Final = {"step-start", "source-url", "source-document", "cache_point", "cachePoint", "guard_content"}
_KEYED_CALL: Final = ("functionCall", "function_call", "toolUse")
_KEYED_RESULT: Final = ("functionResponse", "function_response", "toolResult")


@dataclass(slots=True)
class Pieces:
    """What the parts of a message say, by kind."""

    texts: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)

    @property
    def text(self) -> str | None:
        return "\n".join(self.texts) if self.texts else None


def pieces_of(parts: Json, notes: Notes) -> Pieces:
    """The pieces of a list of parts, of one part, or of plain text."""
    pieces = Pieces()
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            pieces.texts.append(part)
        elif isinstance(part, dict):
            _read_part(part, pieces, notes)
        elif part is not None:
            pieces.texts.append(str(part))
    return pieces


def messages_from(role: Role, pieces: Pieces) -> list[Message]:
    """One message and its results: behind what the assistant said, before what the customer said beside them."""
    text, results = pieces.text, pieces.results
    if role == "assistant":
        said = [Message("assistant", text, tuple(pieces.calls))] if pieces.calls or text is not None else []
        return [*said, *results]
    if role == "tool":
        return results or ([Message("tool", None, (), None, None, text)] if text is not None else [])
    calls = [Message("assistant", None, tuple(pieces.calls))] if pieces.calls else []
    return [*calls, *results, *([Message(role, text)] if text is not None else [])]


def _read_part(part: dict[str, Json], pieces: Pieces, notes: Notes) -> None:
    kind = word(part.get("type"))
    if part.get("thought") is True or kind in _THOUGHT or "reasoningContent" in part:
        notes.warn("reasoning is not part of a conversation and was left out")
    elif kind in _TEXT or (not kind and isinstance(part.get("text"), str)):
        _read_text(part, pieces)
    elif kind in _CALL:
        _read_call(part, pieces, notes)
    elif kind in _RESULT or kind.endswith("_tool_result"):
        pieces.results.append(_result_part(part))
    elif not _read_keyed(part, pieces, notes) and kind not in _NO_CONTENT:
        pieces.texts.append(_placeholder(part, notes))


def _read_text(part: dict[str, Json], pieces: Pieces) -> None:
    if isinstance(inner := part.get("text"), dict) and isinstance(inner.get("value"), str):
        pieces.texts.append(inner["value"])
        return
    for key in ("text", "content", "value", "refusal"):
        if isinstance(text := part.get(key), str):
            pieces.texts.append(text)
            return


def _read_call(part: dict[str, Json], pieces: Pieces, notes: Notes) -> None:
    if isinstance(value := part.get("value"), str):
        parsed = json_in(value)
        found = parsed if isinstance(parsed, list) else [parsed]
        pieces.calls += [call for item in found if (call := call_of(item, notes)) is not None]
    elif (call := call_of(part, notes)) is not None:
        pieces.calls.append(call)


def _result_part(part: dict[str, Json]) -> Message:
    """The id of a block that names its call is its own, not the call's."""
    if part.get("tool_use_id") or part.get("toolCallId"):
        part = {key: value for key, value in part.items() if key != "id"}
    return result_of(part)


def _read_keyed(part: dict[str, Json], pieces: Pieces, notes: Notes) -> bool:
    """Gemini and Bedrock name the kind of a part by its key."""
    for key in _KEYED_CALL:
        if isinstance(inner := part.get(key), dict):
            if (call := call_of(inner, notes)) is not None:
                pieces.calls.append(call)
            return True
    for key in _KEYED_RESULT:
        if isinstance(inner := part.get(key), dict):
            message = result_of(inner, ("response", "content", "output", "result"))
            if isinstance(message.result, dict) and set(message.result) == {"error"}:
                message = Message("tool", None, (), message.name, message.tool_call_id, message.result, is_error=True)
            pieces.results.append(message)
            return True
    if isinstance(code := part.get("executableCode", part.get("executable_code")), dict):
        pieces.calls.append(ToolCall("code_execution", code))
        return True
    if isinstance(ran := part.get("codeExecutionResult", part.get("code_execution_result")), dict):
        failed = ran.get("outcome") not in (None, "OUTCOME_OK", 1)
        pieces.results.append(Message("tool", None, (), "code_execution", None, ran.get("output"), failed))
        return True
    return False


def _placeholder(part: dict[str, Json], notes: Notes) -> str:
    kind = part.get("type") if isinstance(part.get("type"), str) else next(iter(part), "part")
    notes.warn("content that is no text (an image, a file, …) is only named", kind)
    return f"[{kind}]"
