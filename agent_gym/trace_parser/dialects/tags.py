"""Text with the tags of open models in (Hermes, ChatML), its plain text, calls, results and tools out."""

import re
from typing import Final

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects.calls import call_of, definitions_of
from agent_gym.trace_parser.dialects.notes import Notes
from agent_gym.types import Json, Message, Role, ToolCall

__all__ = ["chatml_messages", "has_tags", "is_chatml", "tagged_messages"]

_CALL: Final = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
_RESPONSE: Final = re.compile(r"<tool_response>\s*(.*?)\s*(?:</tool_response>|\Z)", re.DOTALL)
_TOOLS: Final = re.compile(r"<tools>\s*(.*?)\s*</tools>", re.DOTALL)
_THOUGHT: Final = re.compile(r"\s*<(think|scratch_pad)>.*?</\1>\s*", re.DOTALL)
_CHATML: Final = re.compile(r"<\|im_start\|>\s*(\w+)[^\n]*\n(.*?)(?:<\|im_end\|>|(?=<\|im_start\|>)|\Z)", re.DOTALL)


def is_chatml(text: str) -> bool:
    return "<|im_start|>" in text


def chatml_messages(text: str) -> list[dict[str, Json]]:
    """The turns of a raw prompt, as role and content."""
    return [{"role": match[1], "content": match[2].strip("\n")} for match in _CHATML.finditer(text)]


def has_tags(text: str) -> bool:
    return "<tool_" in text or "<think>" in text or "<tools>" in text or "<scratch_pad>" in text


def tagged_messages(role: Role, text: str, notes: Notes) -> list[Message]:
    if role == "system":
        for match in _TOOLS.finditer(text):
            notes.tools += _definitions(match[1])
        return [Message("system", text)]
    if role == "assistant":
        return _assistant(text, notes)
    responses = [match[1] for match in _RESPONSE.finditer(text)]
    if not responses:
        return [Message(role, text)] if role == "user" else [Message("tool", None, (), None, None, text)]
    rest = _RESPONSE.sub("", text).strip()
    results = [_response(response) for response in responses]
    return [*results, Message("user", rest)] if rest and role == "user" else results


def _assistant(text: str, notes: Notes) -> list[Message]:
    bare, thoughts = _THOUGHT.subn("", text)
    if thoughts:
        notes.warn("reasoning is not part of a conversation and was left out")
    calls: list[ToolCall] = []
    for match in _CALL.finditer(bare):
        parsed = json_in(match[1])
        call = call_of(parsed, notes) if isinstance(parsed, dict) else None
        if call is None:
            notes.warn("a tool call that is no JSON stays in the text", match[1])
        else:
            calls.append(call)
    if calls:
        bare = _CALL.sub("", bare).strip()
    return [Message("assistant", bare or None, tuple(calls))] if bare or calls else []


def _response(text: str) -> Message:
    parsed = json_in(text)
    if isinstance(parsed, dict) and isinstance(parsed.get("name"), str) and "content" in parsed:
        call_id = parsed.get("tool_call_id")
        return Message(
            "tool", None, (), parsed["name"], call_id if isinstance(call_id, str) else None, parsed["content"]
        )
    return Message("tool", None, (), None, None, text if parsed is None else parsed)


def _definitions(text: str) -> list[Json]:
    whole = definitions_of(text)
    return list(whole or [found for line in text.splitlines() for found in definitions_of(line)])
