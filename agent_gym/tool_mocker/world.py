"""What was mined from the record: tools with their rules, and records; frozen, shared by every session."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol

from agent_gym.text import digest, parsed
from agent_gym.tool_mocker.dependence import Dependence, Situation
from agent_gym.tool_mocker.effects import Effect
from agent_gym.tool_mocker.entities import Owned, Records, Sites, Subject
from agent_gym.tool_mocker.expressions.language import Expr
from agent_gym.tool_mocker.kinds import Kind
from agent_gym.tool_mocker.log import PLAIN, Form, Recorded
from agent_gym.tool_mocker.precision import Precision
from agent_gym.tool_mocker.schemas import ResultSchema
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

if TYPE_CHECKING:
    from agent_gym.tool_mocker.state import State

__all__ = ["Asked", "Example", "Memory", "Rival", "Rule", "Stories", "Tally", "Tool", "World"]

Stories = Mapping[str, Sequence[int]]  # conversation → its calls in order, each as a number
Asked = tuple[bytes, Situation]  # (digest of the arguments, the writes that the answer depends on)


class Rule(Protocol):
    """One mechanism of one tool: learned from the record, it answers a call and says itself in words."""

    source: ClassVar[Source]  # what its answers are labelled, where it has earned that

    def answer(self, call: ToolCall, state: "State") -> ToolAnswer | None:
        """None: the rule does not know."""
        ...

    def words(self) -> str:
        """What the rule says; nothing where there is nothing to tell."""
        ...


class Rival(NamedTuple):
    """One of several answers to the same question."""

    call: Recorded
    result: bytes  # digest of the answer, for votes


@dataclass(frozen=True, slots=True)
class Memory:
    """What a tool was recorded to answer to each question."""

    answers: Mapping[Asked, Recorded]  # what most conversations were told; among equals the first
    situations: Mapping[bytes, tuple[Situation, ...]]  # question → those it was asked in, if not only the untouched one
    contested: Set[Asked]  # where no answer is that of nearly all conversations
    rivals: Mapping[Asked, tuple[Rival, ...]]  # where answers differ and stories tell which of them it is


@dataclass(frozen=True, slots=True)
class Example:
    """A successful call, its arguments, the usual ones included, in the form in which likeness compares them."""

    call: Recorded
    forms: Mapping[str, bytes]
    result: bytes  # digest of the answer, for votes
    words: frozenset[str]  # of the texts among the arguments


class Tally(NamedTuple):
    """What was recorded of a tool."""

    calls: int
    errors: int


@dataclass(frozen=True, slots=True)
class Tool:
    """What is known of one tool. `rules` are in the order in which they are tried."""

    name: str
    kind: Kind
    schema: Mapping[str, Json]
    results: ResultSchema
    recorded: Tally
    subject: Subject | None  # what its calls are about
    gates: frozenset[str]  # the tools it refuses to answer before
    examples: Sequence[Example]  # successful calls, a bounded choice
    rules: Mapping[str, Rule]
    memory: Memory = Memory({}, {}, frozenset(), {})
    form: Form = PLAIN
    effects: tuple[Effect, ...] = ()  # what it does to records that its answer does not show
    alters: frozenset[str] | None = None  # the fields that a write changes of the record which it shows whole
    counters: tuple[tuple[str, Expr], ...] = ()  # (dotted field of its answer, the number that it counts on)
    grounded: frozenset[str] = frozenset()  # the arguments whose values something had always shown before
    owned: tuple[Owned, ...] = ()  # the arguments that always belonged to the record of another

    @property
    def parameters(self) -> Mapping[str, Json]:
        found: Mapping[str, Json] = self.schema["function"].get("parameters") or {}
        return found

    def encoded(self, result: Json) -> Json:
        """The result in the form that the tool's logs have."""
        return self.form.dressed(result)

    def encoded_error(self, error: Json) -> Json:
        """An error in the form that the tool's logs have: no envelope is around it."""
        return self.form.encoded_only(error)

    def decoded(self, result: Json) -> Json:
        """What a result tells, without the form that `encoded` gives it."""
        return self.form.bare(parsed(result))


@dataclass(frozen=True, slots=True)
class World:
    """Everything mined: tools, and records as they were before anybody wrote to them."""

    tools: Mapping[str, Tool]
    kinds: Mapping[str, Kind]  # of every tool, for who needs no more of it
    forms: Mapping[str, Form]  # tool → how its logs dress what it tells
    dependence: Dependence  # which writes an answer depends on
    sites: Sites
    records: Records
    by_fields: Mapping[tuple[str, ...], Mapping[bytes, str]]  # (table, fields) → values → the record that has them
    origins: Mapping[tuple[str, str], str]  # record → a conversation that shows it
    stories: Stories  # of the conversations that tell which of several answers it is
    mentioned: Set[str]  # every id that some result shows: such a thing exists, known or not
    wordings: Mapping[tuple[str, str], Recorded]  # (tool, or "" for any, kind of failure) → a recorded error
    precision: Precision

    @property
    def writing(self) -> frozenset[str]:
        """The tools that change something."""
        return frozenset(name for name, kind in self.kinds.items() if kind.writes)

    def key_of(self, call: ToolCall) -> bytes:
        """The digest of its arguments by which its answers are kept."""
        form = self.forms.get(call.name)
        return form.key(call.arguments) if form is not None else digest(call.arguments)

    def gates_passed(self, tool: str, done: frozenset[str]) -> frozenset[str]:
        """Those of the tools done without which the tool refuses: its answer may depend on them."""
        model = self.tools.get(tool)
        return done & model.gates if model is not None else frozenset()
