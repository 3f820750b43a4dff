"""Answers with the nearest recorded answer of the tool, its arguments' values replaced by the call's: a guess.

What other answers have shown of the record asked for is kept to: a guess must not contradict what a session knows.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from agent_gym.text import canonical, digest, same, tokens
from agent_gym.tool_mocker.evidence import MOST_EXAMPLES
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.substitution import substituted, substitutions
from agent_gym.tool_mocker.world import Example, Tool
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["Alike", "NeighbourRule", "adapted", "examples_of", "forms_of", "likeness"]


@dataclass(frozen=True, slots=True)
class NeighbourRule:
    """The last resort of every tool that has ever answered."""

    source: ClassVar[Source] = "neighbour"

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        tool = state.tool(call.name)
        if not tool.examples:
            return None
        near, result = adapted(call, state)
        known = _known(call, tool, state)
        if known and isinstance(result, Mapping) and isinstance(told := near.result, Mapping):
            # What follows the call's own values is right as it is.
            result = {n: known[n] if n in known and same(told.get(n), value) else value for n, value in result.items()}
        return ToolAnswer(tool.encoded(result), False, "neighbour", 0.0, (near.conversation_id,))

    def words(self) -> str:
        return ""


def adapted(call: ToolCall, state: State) -> tuple[Recorded, Json]:
    """The most similar recorded call of a tool that has some, and its answer with this call's values."""
    near = _nearest(call, state).call
    return near, substituted(near.result, substitutions(near.arguments, call.arguments))


def _nearest(call: ToolCall, state: State) -> Example:
    """The most similar call about the most similar thing; of several, one answered as most of those were."""
    tool = state.tool(call.name)
    equal = state.alike.most(tool, forms_of(call.arguments))
    if known := _known(call, tool, state):
        equal = _best(equal, [_agreement(example.call.result, known) for example in equal])
    if words := _words_in(call.arguments):
        equal = _best(equal, [len(words & example.words) / len(words | example.words) for example in equal])
    return state.alike.usual(tool, equal)


def _known(call: ToolCall, tool: Tool, state: State) -> Mapping[str, Json]:
    """What other answers have shown of the record that a read asks for."""
    site = state.world.sites.get((call.name, ""))
    if site is None or tool.subject is None or tool.kind.writes or site.table != tool.subject.table:
        return {}
    about = state.about(call)
    return (state.record(*about) or {}) if about is not None else {}


def _agreement(told: Json, known: Mapping[str, Json]) -> int:
    if not isinstance(told, Mapping):
        return 0
    return sum(name in told and same(told[name], value) for name, value in known.items())


def _best(examples: Sequence[Example], how_like: Sequence[float]) -> list[Example]:
    best = max(how_like)
    return [example for example, how in zip(examples, how_like, strict=True) if how == best]


def examples_of(calls: Sequence[Recorded]) -> tuple[Example, ...]:
    """Distinct calls, the latest first: more than some hundred would hardly hold a nearer one."""
    distinct = list({call.key: call for call in calls}.values())[::-1][:MOST_EXAMPLES]
    return tuple(
        Example(call, forms_of(call.arguments), digest(call.result), _words_in(call.arguments)) for call in distinct
    )


def forms_of(arguments: Mapping[str, Json]) -> dict[str, bytes]:
    """Arguments in the form in which likeness compares them."""
    return {name: canonical(value) for name, value in arguments.items()}


def _words_in(arguments: Mapping[str, Json]) -> frozenset[str]:
    """The words of every argument that is a text: more than one word, so no id and no choice."""
    texts = (value for value in arguments.values() if isinstance(value, str) and " " in value.strip())
    return frozenset(word for text in texts for word in tokens(text))


def likeness(example: Example, forms: Mapping[str, bytes], subject: str | None) -> tuple[bool, int, int]:
    """Whether it is about the same thing; how many arguments agree in their very value, or at least in being there."""
    known = example.forms
    agreeing = [name for name, form in forms.items() if known.get(name) == form]
    return subject in agreeing, len(agreeing), len(known.keys() & forms.keys())


@dataclass(frozen=True, slots=True)
class _Index:
    """Where a tool's examples stand by each argument's value."""

    by_value: Mapping[tuple[str, bytes], list[int]]
    usual: Example  # answered as most of all

    @classmethod
    def of(cls, examples: Sequence[Example]) -> "_Index":
        by_value: dict[tuple[str, bytes], list[int]] = {}
        for at, example in enumerate(examples):
            for value in example.forms.items():
                by_value.setdefault(value, []).append(at)
        return cls(by_value, _usual(examples))


class Alike:
    """Of one world, for all its sessions; a tool's examples are indexed when they are first looked for."""

    def __init__(self) -> None:
        self._indexes: dict[str, _Index] = {}

    def most(self, tool: Tool, forms: Mapping[str, bytes]) -> Sequence[Example]:
        """The examples of the greatest `likeness`, in their order, of a tool that has some.

        A value in common raises an example above all that have none: these need not be weighed.
        """
        by_value = self._of(tool).by_value
        subject = tool.subject.argument if tool.subject is not None else ""
        about = frozenset(by_value.get((subject, forms[subject]), ()) if subject in forms else ())
        agreeing: Counter[int] = Counter()
        for value in forms.items():
            agreeing.update(by_value.get(value, ()))
        best = max(((at in about, times) for at, times in agreeing.items()), default=None)
        some = [tool.examples[at] for at in sorted(agreeing) if (at in about, agreeing[at]) == best] or tool.examples
        shared = [len(example.forms.keys() & forms.keys()) for example in some]
        most = max(shared)
        equal = [example for example, names in zip(some, shared, strict=True) if names == most]
        return tool.examples if len(equal) == len(tool.examples) else equal

    def usual(self, tool: Tool, examples: Sequence[Example]) -> Example:
        """The first of some examples of the tool that is answered as most of them are."""
        return self._of(tool).usual if examples is tool.examples else _usual(examples)

    def _of(self, tool: Tool) -> _Index:
        index = self._indexes.get(tool.name)
        if index is None:
            index = self._indexes[tool.name] = _Index.of(tool.examples)
        return index


def _usual(examples: Sequence[Example]) -> Example:
    votes = Counter([example.result for example in examples])
    most = max(votes.values())
    return next(example for example in examples if votes[example.result] == most)
