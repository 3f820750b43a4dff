"""One moment of a conversation, looked at once for all that could be done in it: a state and the record in, what the
proposers share out: the like moments, the tools' arguments, and what of the recorded replies can be said here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.agent.embedded.binding import Bound
from agent_gym.agent.embedded.filling import Filled, fill, known_in
from agent_gym.agent.embedded.leaves import text_of
from agent_gym.agent.embedded.points import Near
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.talk import State
from agent_gym.agent.embedded.traits import Traits
from agent_gym.types import Json

__all__ = ["NEAR", "Scene"]

NEAR = 30  # points that have a say


@dataclass
class Scene:
    """`hidden` conversations of the record are not looked at."""

    state: State
    tools: Sequence[Mapping[str, Json]]
    record: Record
    hidden: frozenset[str]
    near: list[Near] = field(init=False)
    known: frozenset[str] = field(init=False)
    schemas: dict[str, Mapping[str, Json]] = field(init=False)
    traits: Traits = field(init=False)
    _bound: dict[str, list[Bound]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.near = self.record.memory.near(self.state, NEAR, self.hidden)
        self.known = known_in(self.state)
        self.schemas = dict(_schema(tool) for tool in self.tools)
        self.traits = Traits(self.state, self.record, self.near, self.hidden)

    def bind(self, tool: str) -> Bound:
        """The likeliest arguments of a call of the tool, as far as they are known."""
        return self.bound_ways(tool)[0]

    def bound_ways(self, tool: str) -> list[Bound]:
        if tool not in self._bound:
            schema = self.schemas.get(tool, {})
            self._bound[tool] = self.record.binder.ways(tool, self.state, self.near, schema, self.hidden)
        return self._bound[tool]

    def recorded(self, numbers: Sequence[int], bound: Mapping[str, Mapping[str, Json]]) -> tuple[int, Filled] | None:
        """The best of these recorded replies: near ones first, then those of which most can be said."""
        rank = {near.number: place for place, near in enumerate(self.near)}
        best: tuple[float, int, Filled] | None = None
        open_ = [n for n in numbers if self.record.memory.points[n].conversation_id not in self.hidden]
        for number in sorted(open_, key=lambda n: (rank.get(n, NEAR), n))[:6]:
            if not self.honest(number):
                continue
            said = self.filled(number, bound)
            if said and "?" in said.text:
                value = said.kept - said.foreign - said.turned - rank.get(number, NEAR) / (2 * NEAR)
                if best is None or value > best[0]:
                    best = value, number, said
        return best[1:] if best else None

    def filled(self, number: int, bound: Mapping[str, Mapping[str, Json]]) -> Filled | None:
        """The reply of this point in the words of this conversation, if it can be said."""
        return fill(self.record.replies[number], self.state, self.known, bound, self.record.book)

    def honest(self, number: int) -> bool:
        """Whether the reply of this point can be true here: words after a write claim it, and after a refusal only
        words about a refusal are, which may tell of an earlier write besides."""
        past = self.record.memory.points[number].state
        then, now = past.event, self.state.event
        refused = now.endswith(" failed") or then.endswith(" failed")
        if refused and not (then == now and _alike(text_of(past.calls[-1]), text_of(self.state.calls[-1]))):
            return False
        if then.removesuffix(" answered") in self.record.write_tools and then != now:
            return False
        return self.record.writes_done[number] <= self.state.tools_done


def _schema(tool: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """(name, parameters) of a function schema, with or without its envelope."""
    inner = tool.get("function", tool)
    return str(inner.get("name", "")), inner.get("parameters") or {}


def _alike(one: str, other: str) -> bool:
    """Whether two refusals are the same but for their values."""
    left, right = ({word for word in tokens(text) if word.isalpha()} for text in (one, other))
    return len(left & right) >= 0.6 * len(left | right)
