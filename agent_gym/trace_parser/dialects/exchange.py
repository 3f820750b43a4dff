"""What a call to a model was given or gave back in, in whatever wrapping its logger chose; messages out."""

import ast
import re
from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects.calls import definitions_of
from agent_gym.trace_parser.dialects.chat import role_of
from agent_gym.trace_parser.dialects.conversation import messages_of, one_message
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.trace_parser.dialects.parts import pieces_of
from agent_gym.trace_parser.dialects.tags import chatml_messages, is_chatml
from agent_gym.types import Json, Message, Role

__all__ = ["given_messages", "said_messages", "system_text"]

_SYSTEM: Final = (
    "system",
    "system_prompt",
    "instructions",
    "system_instruction",
    "systemInstruction",
    "system_instructions",
)
_TOOLS: Final = ("tools", "functions", "tool_definitions", "toolConfig")
_LISTS: Final = ("messages", "contents", "input_messages", "prompt", "input", "inputs", "history")
_WRAPPERS: Final = ("body", "request", "kwargs", "invocation_params", "state", "new_message", "request_body", "data")
_ANSWERS: Final = (
    "output",
    "outputs",
    "response",
    "message",
    "messages",
    "content",
    "text",
    "completion",
    "answer",
    "output_text",
)
_QUESTIONS: Final = ("query", "question", "prompt", "input", "text", "user_input", "message")
_REPR_FIELD: Final = re.compile(r"(\w+)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|None|\[|\{)")
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|None")
_SPEAKER: Final = re.compile(r"^(system|developer|user|assistant|tool|human|ai): ?", re.MULTILINE)
_DEPTH = 6  # of wrappers within wrappers


def given_messages(value: Json, notes: Notes, depth: int = 0) -> list[Message]:
    """What the model was given: the history with its system prompt, or the bare question."""
    if depth > _DEPTH or value is None:
        return []
    if isinstance(value, str):
        return _from_text(value, "user", notes, depth)
    if isinstance(value, list):
        return _from_list(value, "user", notes)
    if not isinstance(value, dict):
        return []
    if "role" in value or "lc" in value or value.get("type") in ("human", "system"):
        return one_message(value, notes) or []
    found: list[Message] = []
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, list | dict) or (isinstance(inner, str) and inner.strip()):
            found = given_messages(inner, notes, depth + 1)
            if found:
                break
    if not found:
        found = _wrapped(value, notes, depth) or _asked(value)
    _note_tools(value, notes)
    system = system_text(value, notes)
    if system and not any(message.role == "system" for message in found):
        found.insert(0, Message("system", system))
    return found


def said_messages(value: Json, notes: Notes, depth: int = 0) -> list[Message]:
    """What the model said: one message, or several with the results of tools the service ran itself."""
    if depth > _DEPTH or value is None:
        return []
    if isinstance(value, str):
        return _from_text(value, "assistant", notes, depth)
    if isinstance(value, list):
        return _from_list(value, "assistant", notes)
    if not isinstance(value, dict):
        return []
    if "role" in value or "lc" in value or value.get("type") in ("ai", "AIMessageChunk"):
        return one_message(value, notes) or []
    for key in ("choices", "candidates", "generations"):
        if isinstance(several := value.get(key), list) and several:
            # Several answers to one question: the first is the one that went on.
            return _choice(several[0], notes, depth)
    for key in _ANSWERS:
        inner = value.get(key)
        if isinstance(inner, list | dict) or (isinstance(inner, str) and inner.strip()):
            found = said_messages(inner, notes, depth + 1)
            if found:
                return found
    return []


def system_text(value: dict[str, Json], notes: Notes) -> str | None:
    """The system prompt that stands beside the messages."""
    config = value.get("config")
    for holder in (value, config if isinstance(config, dict) else {}):
        for key in _SYSTEM:
            inner = holder.get(key)
            if isinstance(inner, dict):
                inner = inner.get("parts", inner.get("text", inner.get("content")))
            if isinstance(inner, str | list) and inner and (text := pieces_of(inner, notes).text):
                return text
    return None


def _note_tools(value: dict[str, Json], notes: Notes) -> None:
    config = value.get("config")
    for holder in (value, config if isinstance(config, dict) else {}):
        for key in _TOOLS:
            if holder.get(key) and not notes.tools:
                notes.tools += definitions_of(holder[key])


def _from_list(value: list[Json], role: Role, notes: Notes) -> list[Message]:
    if all(isinstance(item, str) for item in value):
        read = [_from_text(item, role, notes, 0) for item in value]
        return [message for messages in read for message in messages]
    if value and all(isinstance(item, dict) and "role" not in item and _is_part(item) for item in value):
        text = pieces_of(value, notes)
        return [Message(role, text.text, tuple(text.calls) if role == "assistant" else ()), *text.results]
    if value and all(isinstance(item, list) for item in value):
        return _from_list(value[0], role, notes)
    inner = [
        item.get("message", item) if isinstance(item, dict) and "role" not in item else item
        for item in value
        if isinstance(item, (dict, list))
    ]
    return messages_of(inner, notes)


def _is_part(item: dict[str, Json]) -> bool:
    return item.get("type") in ("text", "tool_use", "thinking", "input_text", "tool-call") or set(item) == {"text"}


def _wrapped(value: dict[str, Json], notes: Notes, depth: int) -> list[Message]:
    for key in _WRAPPERS:
        if isinstance(inner := value.get(key), dict) and (found := given_messages(inner, notes, depth + 1)):
            return found
    arguments = value.get("args")
    if isinstance(arguments, list) and arguments:
        return given_messages(arguments[0], notes, depth + 1)
    return []


def _asked(value: dict[str, Json]) -> list[Message]:
    text = next((value[key] for key in _QUESTIONS if isinstance(value.get(key), str) and value[key].strip()), None)
    return [] if text is None else [Message("user", text)]


def _choice(choice: Json, notes: Notes, depth: int) -> list[Message]:
    if isinstance(choice, list):
        return _choice(choice[0], notes, depth) if choice else []
    if not isinstance(choice, dict):
        return said_messages(choice, notes, depth + 1)
    for key in ("message", "content", "delta", "text"):
        inner = choice.get(key)
        if isinstance(inner, dict):
            found = one_message(
                {"role": "assistant", **inner} if "lc" not in inner and "type" not in inner else inner, notes
            )
            return found or []
        if isinstance(inner, str):
            return [Message("assistant", inner)]
    return []


def _from_text(text: str, role: Role, notes: Notes, depth: int) -> list[Message]:
    """Text may be JSON, Python's repr of messages, a raw prompt, a transcript, or what was said."""
    stripped = text.strip()
    if not stripped:
        return []
    if stripped[0] in '{["':
        parsed = json_in(stripped)
        if parsed is not None and parsed != text:
            reader = given_messages if role == "user" else said_messages
            found = reader(parsed, notes, depth + 1)
            # An answer in JSON is an answer: only what reads as messages is more than text.
            return found if found or role == "user" else [Message(role, text)]
    if is_chatml(stripped):
        return messages_of(chatml_messages(stripped), notes)
    if stripped.startswith("role=") and (shown := _repr_message(stripped)):
        return one_message(shown, notes) or []
    if role == "user" and (turns := _transcript(stripped)):
        return messages_of(turns, notes)
    return [Message(role, text)]


def _repr_message(text: str) -> dict[str, Json] | None:
    """`role='user' content='hi' tool_calls=[…]`: how pydantic models print themselves."""
    fields: dict[str, Json] = {}
    for match in _REPR_FIELD.finditer(text):
        if match[1] in fields or match[1] not in ("role", "content", "tool_call_id", "tool_calls", "name", "tool_name"):
            continue
        literal = _literal(text, match.start(2))
        if literal is not None:
            fields[match[1]] = literal
    return fields if role_of(fields.get("role")) and ("content" in fields or "tool_calls" in fields) else None


def _literal(text: str, start: int) -> Json:
    """The Python literal that begins there; None for none."""
    closing = {"[": "]", "{": "}"}.get(text[start])
    if closing is None:
        match = _QUOTED.match(text, start)
        end = match.end() if match else start
    else:
        end = text.find(closing + " ", start) + 1 or len(text)
    try:
        return ast.literal_eval(text[start:end])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _transcript(text: str) -> list[Json]:
    """`system: …` and `user: …` on lines of their own, as some loggers print a prompt."""
    marks = list(_SPEAKER.finditer(text))
    if not marks or marks[0].start() or len({mark[1] for mark in marks}) < 2:
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return [
        {"role": mark[1], "content": said}
        for mark, end in zip(marks, ends, strict=True)
        if (said := text[mark.end() : end].strip()) != "None"
    ]
