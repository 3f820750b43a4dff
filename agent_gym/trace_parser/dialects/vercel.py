"""A Vercel AI SDK UI message or its stream chunks in, messages out: a part holds a call and its result together."""

from collections.abc import Iterable

from agent_gym.trace_parser.dialects.calls import arguments_of, first_text
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.dialects.parts import messages_from, pieces_of
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json, Message, Role, ToolCall

__all__ = ["is_stream", "is_ui_message", "stream_messages", "ui_message"]

_STREAM = ("tool-input-available", "tool-output-available", "text-delta", "start-step", "finish-step", "text-start")
_UI_ONLY = ("step-start", "dynamic-tool", "source-url", "source-document")


def is_ui_message(raw: dict[str, Json]) -> bool:
    if isinstance(raw.get("toolInvocations"), list):
        return True
    if isinstance(parts := raw.get("parts"), list):
        for part in parts:
            if isinstance(part, dict) and _is_ui_part(part):
                return True
    return False


def ui_message(raw: dict[str, Json], role: Role, notes: Notes) -> list[Message]:
    found: list[Message] = []
    parts = raw.get("parts")
    if isinstance(parts, list) and parts:
        for step in _steps(parts):
            found += _step(role, step, notes)
        return found
    calls = objects(raw.get("toolInvocations"))
    text = raw.get("content")
    found = _step(role, [{"type": "dynamic-tool", **part} for part in calls], notes) if calls else []
    if isinstance(text, str) and text:
        found.append(Message(role, text))
    return found


def is_stream(chunks: Iterable[Json]) -> bool:
    return any(isinstance(chunk, dict) and chunk.get("type") in _STREAM for chunk in chunks)


def stream_messages(chunks: Iterable[Json], notes: Notes) -> list[Message]:
    """The messages a UI message stream draws: one assistant message a step."""
    parts: list[dict[str, Json]] = []
    tools: dict[str, dict[str, Json]] = {}
    texts: dict[str, dict[str, Json]] = {}
    for chunk in chunks:
        if not isinstance(chunk, dict):
            continue
        kind, key = chunk.get("type"), str(chunk.get("toolCallId") or chunk.get("id") or "")
        if kind == "start-step":
            parts.append({"type": "step-start"})
        elif kind in ("tool-input-start", "tool-input-available", "tool-input-error"):
            if key not in tools:
                tools[key] = {"type": "dynamic-tool", "state": "input-available"}
                parts.append(tools[key])
            tools[key] |= {k: v for k, v in chunk.items() if k != "type"}
        elif kind in ("tool-output-available", "tool-output-error") and key in tools:
            tools[key] |= {k: v for k, v in chunk.items() if k in ("output", "errorText")}
        elif kind == "text-delta":
            if key not in texts:
                texts[key] = {"type": "text", "text": ""}
                parts.append(texts[key])
            delta = chunk.get("delta", chunk.get("textDelta"))
            texts[key]["text"] += delta if isinstance(delta, str) else ""
    return ui_message({"parts": parts}, "assistant", notes)


def _is_ui_part(part: dict[str, Json]) -> bool:
    kind = part.get("type")
    if not isinstance(kind, str) or "-" not in kind:
        return False
    return kind in _UI_ONLY or kind.startswith("data-") or (kind.startswith("tool-") and "state" in part)


def _steps(parts: list[Json]) -> list[list[dict[str, Json]]]:
    steps: list[list[dict[str, Json]]] = [[]]
    for part in parts:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "step-start":
            steps.append([])
        elif not str(part.get("type")).startswith("data-"):
            steps[-1].append(part)
    return [step for step in steps if step]


def _step(role: Role, parts: list[dict[str, Json]], notes: Notes) -> list[Message]:
    plain: list[Json] = []
    calls: list[ToolCall] = []
    results: list[Message] = []
    for part in parts:
        kind = str(part.get("type"))
        name = first_text(part, ("toolName",)) or kind.removeprefix("tool-")
        if kind != "dynamic-tool" and not (kind.startswith("tool-") and "toolCallId" in part):
            plain.append(part)
            continue
        call_id = first_text(part, ("toolCallId",))
        calls.append(ToolCall(name, arguments_of(part.get("input", part.get("args")), notes), call_id))
        error = part.get("errorText")
        if part.get("output") is not None or part.get("result") is not None or error is not None:
            result = part.get("output", part.get("result")) if error is None else error
            results.append(Message("tool", None, (), name, call_id or None, result, error is not None))
    pieces = pieces_of(plain, notes)
    pieces.calls += calls
    pieces.results += results
    return messages_from(role, pieces)
