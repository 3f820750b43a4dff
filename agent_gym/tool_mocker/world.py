"""What was mined from the record: frozen, shared by every session, the only thing the rungs look at."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.absence import AbsenceRule
from agent_gym.tool_mocker.mining.calibration import Calibration
from agent_gym.tool_mocker.mining.effects import EffectRule
from agent_gym.tool_mocker.mining.functions import FunctionRule
from agent_gym.tool_mocker.mining.queries import QueryRule
from agent_gym.tool_mocker.mining.readbacks import ReadBack
from agent_gym.tool_mocker.mining.refusals import RefusalRule
from agent_gym.tool_mocker.mining.searches import SearchRule
from agent_gym.tool_mocker.mining.side_effects import SideEffect
from agent_gym.tool_mocker.mining.tables import Site
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.mining.writes import Records, Subject, WriteExample
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["Asked", "Example", "ToolModel", "World"]


Asked = tuple[bytes, frozenset[str]]  # (digest of the arguments, gates passed)


@dataclass(frozen=True, slots=True)
class Example:
    """A successful call, its arguments in the form in which likeness compares them."""

    call: Recorded
    forms: Mapping[str, bytes]
    result: bytes  # digest of the answer, for votes


@dataclass(frozen=True, slots=True)
class ToolModel:
    """What is known of one tool."""

    name: str
    kind: Kind
    schema: Mapping[str, Json]
    text_encoded: bool  # its results are JSON kept as a string
    wrapped: bool  # its results are lists of just one object
    argument_sets: frozenset[frozenset[str]]  # the names that accepted calls gave together
    answers: Mapping[Asked, Recorded]  # what most conversations were answered, before they wrote to it
    examples: tuple[Example, ...]  # successful calls, a bounded choice
    writes: tuple[WriteExample, ...]
    function: FunctionRule | None
    effect: EffectRule | None
    side_effects: tuple[SideEffect, ...]
    read_backs: tuple[ReadBack, ...]
    subject: Subject | None  # the argument that names what a call is about, and its table
    refusals: tuple[RefusalRule, ...]
    query: QueryRule | None
    search: SearchRule | None
    absence: AbsenceRule | None

    @property
    def parameters(self) -> Mapping[str, Json]:
        found: Mapping[str, Json] = self.schema["function"].get("parameters") or {}
        return found


@dataclass(frozen=True, slots=True)
class World:
    """Everything mined: tools, sites, and records as they were before anybody wrote to them."""

    tools: Mapping[str, ToolModel]
    kinds: Mapping[str, Kind]
    sites: Mapping[tuple[str, str], Site]
    records: Records
    origins: Mapping[tuple[str, str], str]  # record → a conversation that shows it
    table_fields: Mapping[str, frozenset[str]]  # the fields that reads show of a table's records
    wrapping: frozenset[str]  # the tools that are `wrapped`
    gates: Mapping[str, frozenset[str]]  # tool → the tools it refuses to answer before
    calibration: Calibration
    mentioned: frozenset[str]  # every id that some result shows: such a thing exists, known or not
