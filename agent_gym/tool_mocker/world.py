"""What was mined from the record: frozen, shared by every session; beside its state all that the rungs look at."""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from agent_gym.text import parsed, tokens
from agent_gym.tool_mocker.calibration import Calibration
from agent_gym.tool_mocker.defects import Defect
from agent_gym.tool_mocker.mining.absence import AbsenceRule
from agent_gym.tool_mocker.mining.answers import Asked, Rival
from agent_gym.tool_mocker.mining.effects import EffectRule
from agent_gym.tool_mocker.mining.functions import FunctionRule
from agent_gym.tool_mocker.mining.queries import QueryRule
from agent_gym.tool_mocker.mining.read_backs import ReadBack
from agent_gym.tool_mocker.mining.refusals import RefusalRule
from agent_gym.tool_mocker.mining.schemas import ResultSchema
from agent_gym.tool_mocker.mining.searches import SearchRule
from agent_gym.tool_mocker.mining.selections import Selection
from agent_gym.tool_mocker.mining.side_effects import SideEffect
from agent_gym.tool_mocker.mining.stories import Stories
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.mining.wordings import Wordings
from agent_gym.tool_mocker.recorded import Recorded, bare
from agent_gym.tool_mocker.sites import Records, Sites
from agent_gym.types import Json

__all__ = ["Example", "Tally", "ToolModel", "World", "words_in"]


@dataclass(frozen=True, slots=True)
class Example:
    """A successful call, its arguments, the usual ones included, in the form in which likeness compares them."""

    call: Recorded
    forms: Mapping[str, bytes]
    result: bytes  # digest of the answer, for votes
    words: frozenset[str]  # of the texts among the arguments


def words_in(arguments: Mapping[str, Json]) -> frozenset[str]:
    """The words of every argument that is a text: more than one word, so no id and no choice."""
    texts = (value for value in arguments.values() if isinstance(value, str) and " " in value.strip())
    return frozenset(word for text in texts for word in tokens(text))


class Tally(NamedTuple):
    """What was recorded of a tool."""

    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class ToolModel:
    """What is known of one tool."""

    name: str
    kind: Kind
    schema: Mapping[str, Json]
    results: ResultSchema
    complaints: Mapping[Defect, Recorded]  # what it says to calls that are wrong in themselves
    recorded: Tally
    text_encoded: bool  # its results are JSON kept as a string
    wrapped: bool  # its results are lists of just one object
    argument_sets: frozenset[frozenset[str]]  # the names that accepted calls gave together
    subject: Subject | None  # what its calls are about
    gates: frozenset[str]  # the tools it refuses to answer before
    answers: Mapping[Asked, Recorded]  # what most conversations were answered, before they wrote to it
    contested: Set[Asked]  # where no answer is that of nearly all of them
    rivals: Mapping[Asked, tuple[Rival, ...]]  # where answers differ and stories tell which of them it is
    examples: Sequence[Example]  # successful calls, a bounded choice
    usual: Mapping[str, Json]  # argument → what it is taken to be where it is not given
    weights: Mapping[str, float]  # argument → how much more alike its agreeing makes two answers
    function: FunctionRule | None
    by_variables: FunctionRule | None  # the same over what the session was shown last
    selection: Selection | None
    effect: EffectRule | None
    side_effects: tuple[SideEffect, ...]
    read_backs: tuple[ReadBack, ...]
    refusals: tuple[RefusalRule, ...]
    query: QueryRule | None
    search: SearchRule | None
    absence: AbsenceRule | None

    @property
    def stories_tell(self) -> bool:
        """Whether a conversation like this one tells which of several answers it is."""
        return bool(self.rivals)

    @property
    def parameters(self) -> Mapping[str, Json]:
        found: Mapping[str, Json] = self.schema["function"].get("parameters") or {}
        return found

    def encoded(self, result: Json) -> Json:
        """The result in the form the tool's logs have: some wrap it in a list, some keep JSON as a string."""
        if self.wrapped and isinstance(result, Mapping):
            result = [result]
        if self.text_encoded and isinstance(result, Mapping | list):
            return _as_text(result)
        return result

    def decoded(self, result: Json) -> Json:
        """What a result tells, without the form that `encoded` gives it."""
        told = parsed(result)
        return bare(told) if self.wrapped else told


def _as_text(result: Json) -> str:
    try:
        return orjson.dumps(result).decode()
    except TypeError:  # integers beyond 64 bits and lone surrogates, which an agent may have sent
        return json.dumps(result, default=repr)


@dataclass(frozen=True, slots=True)
class World:
    """Everything mined: tools, and records as they were before anybody wrote to them."""

    tools: Mapping[str, ToolModel]
    kinds: Mapping[str, Kind]  # of every tool, for who needs no more of it
    wrapping: frozenset[str]  # the tools whose results are lists of just one object
    sites: Sites
    records: Records
    origins: Mapping[tuple[str, str], str]  # record → a conversation that shows it
    table_fields: Mapping[str, frozenset[str]]  # the fields that reads show of a table's records
    stories: Stories  # what the conversations that tell asked, in order
    mentioned: Set[str]  # every id that some result shows: such a thing exists, known or not
    listings: Mapping[str, Selection]  # tool → how another selects from its lists
    wordings: Wordings
    calibration: Calibration

    def gates_passed(self, tool: str, done: frozenset[str]) -> frozenset[str]:
        """Those of the tools done without which the tool refuses: its answer may depend on them."""
        model = self.tools.get(tool)
        return done & model.gates if model is not None else frozenset()
