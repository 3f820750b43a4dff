"""Recorded calls in, the two answerers that every mined world must beat out: a cassette, and the nearest neighbour."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from agent_gym.text import canonical, digest
from agent_gym.tool_mocker.log import Recorded, by_tool, recorded_calls
from agent_gym.tool_mocker.substitution import substituted, substitutions
from agent_gym.types import Json, ToolAnswer, Trace

__all__ = ["Cassette", "Neighbour"]

_LOOK_AT = 500


@dataclass(frozen=True, slots=True)
class Cassette:
    """Replays the first recorded answer to the very same call: what cassette tools do."""

    answers: Mapping[tuple[str, bytes], Recorded]

    @classmethod
    def fit(cls, traces: Iterable[Trace]) -> Self:
        answers: dict[tuple[str, bytes], Recorded] = {}
        for trace in traces:
            for call in recorded_calls(trace):
                answers.setdefault((call.name, call.key), call)
        return cls(answers)

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer:
        told = self.answers.get((name, digest(arguments or {})))
        if told is None:
            return ToolAnswer({"error": "not on the cassette"}, True, "unknown")
        return ToolAnswer(told.raw, told.is_error, "recorded", 1.0, (told.conversation_id,))


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The cassette, and beyond it the answer to the most similar call with its values replaced."""

    cassette: Cassette
    examples: Mapping[str, list[Recorded]]

    @classmethod
    def fit(cls, traces: Iterable[Trace]) -> Self:
        kept = list(traces)
        return cls(Cassette.fit(kept), by_tool(call for trace in kept for call in recorded_calls(trace)))

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer:
        told = self.cassette.call(name, arguments)
        examples = self.examples.get(name)
        if told.source == "recorded" or not examples:
            return told
        given = arguments or {}
        near = max(examples[:_LOOK_AT], key=lambda example: _shared(example.arguments, given))
        result = substituted(near.result, substitutions(near.arguments, given))
        return ToolAnswer(result, near.is_error, "neighbour", 0.0, (near.conversation_id,))


def _shared(known: Mapping[str, Json], given: Mapping[str, Json]) -> int:
    return sum(name in known and canonical(known[name]) == canonical(value) for name, value in given.items())
