"""Answers what is left by asking a remote model, shown what the record and this session know about the call.

Its answers are made up and labelled so. Whoever asks the same again in the same state is told the same, and
later questions show the model what it has said before. A model that fails raises an `LlmError`: nothing is
made up in its place.
"""

import itertools
from collections.abc import Hashable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Self, TypeAlias

import orjson

from agent_gym.errors import LlmBadReply
from agent_gym.llm import ChatModel, ChatRequest
from agent_gym.text import canonical
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.rules.neighbour import forms_of, likeness
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.world import Tool
from agent_gym.types import Json, Message, ToolAnswer, ToolCall

__all__ = ["Remote", "Replies"]


_LOOK_AT = 500  # recorded calls compared with the one at hand
_EXAMPLES = 4
_ERRORS = 2
_RECORDS = 8
_EARLIER = 8
_LONGEST = 4000  # characters of one value: a catalogue would hide the rest

Place: TypeAlias = Hashable  # the call, and the state it was made in
Replies: TypeAlias = MutableMapping[tuple[str, str, str], tuple[Json, bool]]  # (address, model, request) → its answer


@dataclass(slots=True)
class Remote:
    """A model as one session asks it. `replies` may be shared by many: the same question is sent once."""

    model: ChatModel
    replies: Replies = field(default_factory=dict)
    told: dict[Place, tuple[ToolCall, ToolAnswer]] = field(default_factory=dict)

    def copy(self) -> Self:
        return type(self)(self.model, self.replies, dict(self.told))

    def answer(self, call: ToolCall, state: State) -> ToolAnswer:
        tool = state.tool(call.name)
        place, _ = state.place_in_anchor(call)
        if place not in self.told:
            shown = (*_nearest(call, tool), *_errors(tool))
            result, is_error = self._ask(_request(call, state, tool, shown, self.told))
            evidence = tuple(dict.fromkeys(example.conversation_id for example in shown))
            self.told[place] = (call, ToolAnswer(tool.encoded(result), is_error, "llm", 0.0, evidence))
        return self.told[place][1]

    def _ask(self, request: ChatRequest) -> tuple[Json, bool]:
        key = (self.model.address, self.model.name, request.digest())
        if key not in self.replies:
            reply = self.model.complete(request)
            # Sessions on several threads agree on whichever reply came first.
            self.replies.setdefault(key, _answer_in(reply.message.text, self.model.name))
        return self.replies[key]


def _request(
    call: ToolCall,
    state: State,
    tool: Tool,
    examples: tuple[Recorded, ...],
    told: Mapping[Place, tuple[ToolCall, ToolAnswer]],
) -> ChatRequest:
    known = {
        "tool": tool.schema,
        "writes": tool.kind.writes,
        "examples": [_shown(e.arguments, e.result, e.is_error) for e in examples],
        "records": [
            {"table": table, "key": key, "record": _cut(record)}
            for table, key, record in itertools.islice(_records(call.arguments, state), _RECORDS)
        ],
        "answered_before": [
            {"tool": earlier.name, **_shown(earlier.arguments, answer.result, answer.is_error)}
            for earlier, answer in list(told.values())[-_EARLIER:]
        ],
        "call": {"name": call.name, "arguments": _cut(call.arguments)},
    }
    # In JSON a "<" may be written so; then nothing in the data can end the data.
    fenced = canonical(known).decode().replace("<", "\\u003c")
    system = resources.files("agent_gym.tool_mocker").joinpath("prompts", "remote_tool.txt").read_text("utf-8")
    return ChatRequest([Message("user", f"<data>\n{fenced}\n</data>")], system.strip(), temperature=0.0)


def _shown(arguments: Mapping[str, Json], result: Json, is_error: bool) -> Json:
    return {"arguments": _cut(arguments), "result": _cut(result), "is_error": is_error}


def _cut(value: Json) -> Json:
    text = canonical(value).decode()
    return value if len(text) <= _LONGEST else text[:_LONGEST] + "… (cut)"


def _nearest(call: ToolCall, tool: Tool) -> list[Recorded]:
    """The recorded calls most like this one."""
    forms = forms_of(call.arguments)
    subject = tool.subject.argument if tool.subject is not None else None
    near = sorted(tool.examples, key=lambda example: likeness(example, forms, subject), reverse=True)
    return [example.call for example in near[:_EXAMPLES]]


def _errors(tool: Tool) -> Iterator[Recorded]:
    looked_at = itertools.islice(tool.memory.answers.values(), _LOOK_AT)
    return itertools.islice((told for told in looked_at if told.is_error), _ERRORS)


def _records(arguments: Json, state: State) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    """Every record that a value of the arguments names, as the session sees it now."""
    tables = sorted({site.table for site in state.world.sites.values()})
    for value in dict.fromkeys(_scalars(arguments)):
        for table in tables:
            record = state.record(table, value)
            if record is not None:
                yield table, value, record


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield str(value)


def _answer_in(text: str, model: str) -> tuple[Json, bool]:
    """The answer that a reply holds, and nothing that is not one."""
    # Many models fence JSON whatever they are told; what is inside is read as strictly.
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        reply: Json = orjson.loads(bare)
    except ValueError as error:
        raise LlmBadReply(f"{model} did not answer with one JSON object but with {text[:200]!r}") from error
    if not isinstance(reply, dict) or reply.keys() != {"result", "is_error"} or type(reply["is_error"]) is not bool:
        raise LlmBadReply(f'{model} did not answer with {{"result": …, "is_error": …}} but with {text[:200]!r}')
    return reply["result"], reply["is_error"]
