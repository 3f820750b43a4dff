"""Messages of the trace schema in, turns as the services accept them out.

Services refuse what real logs hold: a call without its result, a result without its call, a tool named
`Calendar.create event`. Here each call gets its one answer and each name a spelling that every service takes.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_gym.llm.chat import ChatRequest
from agent_gym.types import Json, Message, ToolCall, paired_calls

__all__ = ["ToolNames", "Turn", "arguments_of", "function_of", "told", "turns_of"]

_NO_RESULT = Message(role="tool", result="no result of this call is known", is_error=True)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side says. A model's turn holds its calls, each with the result it got."""

    role: Literal["user", "model"]
    text: str
    calls: tuple[tuple[ToolCall, Message], ...] = ()


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a conversation; system messages are not turns, and nobody takes an empty one."""
    turns = (turn for stretch in _stretches(messages) for turn in _turns_of_stretch(stretch))
    return [turn for turn in turns if turn.text.strip() or turn.calls]


def _stretches(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """The messages cut before each assistant message: results belong to the calls of their own stretch."""
    stretch: list[Message] = []
    for message in messages:
        if message.role == "assistant" and stretch:
            yield stretch
            stretch = []
        stretch.append(message)
    yield stretch


def _turns_of_stretch(stretch: Sequence[Message]) -> Iterator[Turn]:
    pairs = tuple((call, result or _NO_RESULT) for call, result in paired_calls(stretch))
    answers = {id(result) for _, result in pairs}
    for message in stretch:
        if message.role == "assistant":
            yield Turn("model", message.text, pairs)
        elif message.role == "user":
            yield Turn("user", message.text)
        elif message.role == "tool" and id(message) not in answers:
            result = json.dumps(told(message), ensure_ascii=False, default=dict)
            yield Turn("user", f"(Result of {message.name or 'a tool'}: {result})")


def told(result: Message) -> Json:
    """What a tool's message says: some logs keep it as content, not as a result."""
    return result.content if result.result is None else result.result


def function_of(tool: Mapping[str, Json]) -> Mapping[str, Json]:
    """The function a tool schema declares, with or without OpenAI's wrapping."""
    function: Mapping[str, Json] = tool.get("function", tool)
    return function


def arguments_of(written: Json) -> dict[str, Json]:
    """The arguments a model wrote, as an object.

    What is no object is the agent's mistake: it travels on as an argument no tool has, for the tool to refuse.
    """
    if isinstance(written, str):
        try:
            written = json.loads(written or "{}")
        except (ValueError, RecursionError):
            return {"malformed_arguments": written}
    return dict(written) if isinstance(written, Mapping) else {"malformed_arguments": written}


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Tool names and their spelling on the wire, where letters, digits, `_` and `-` are all there is."""

    wire: Mapping[str, str]

    @classmethod
    def of(cls, request: ChatRequest) -> "ToolNames":
        declared = [str(function_of(tool).get("name", "")) for tool in request.tools]
        called = [call.name for message in request.messages for call in message.tool_calls]
        wire: dict[str, str] = {}
        taken: set[str] = set()
        # Names that need no other spelling go first: they keep their own.
        for name in sorted(dict.fromkeys(declared + called), key=lambda name: _spelling(name) != name):
            spelling = _spelling(name)
            count = 1
            while spelling in taken:
                count += 1
                spelling = f"{_spelling(name)[:60]}_{count}"
            taken.add(spelling)
            wire[name] = spelling
        return cls(wire)

    def original(self, spelling: str) -> str:
        """The tool meant; a name the model made up stays as it is, for the environment to refuse."""
        return next((name for name, known in self.wire.items() if known == spelling), spelling)


def _spelling(name: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64]
    return word if re.match(r"[A-Za-z_]", word) else f"_{word}"[:64]
