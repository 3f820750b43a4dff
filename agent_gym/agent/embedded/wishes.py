"""What a customer will need, and what an agent does next: recorded points in, chances for a new state out."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from agent_gym.agent.embedded.answers import answer_marks
from agent_gym.agent.embedded.foresight import Foresight, Matrix, Row, sampled
from agent_gym.agent.embedded.lexicon import Lexicon
from agent_gym.agent.embedded.parting import Parting
from agent_gym.agent.embedded.points import Point, mood_of
from agent_gym.agent.embedded.talk import State

__all__ = ["Moves", "Wishes"]

_LATER = "later "  # before words the customer did not begin with
_USUAL = 0.25  # a tool called after more of the customers' turns says little of what they want
_SURELY, _MAYBE = 0.5, 0.2  # chances from which on a tool is wanted, and may be
_BENT = 1500  # recorded turns that tell how much a name counts
_KEPT = 512


class Wishes:
    """How likely each tool is still to be called for what the customer wants now, by their words alone.

    What recorded customers' words led to is learned; that a word is in a tool's name counts besides, for all tools
    alike, so that a tool of which few customers have spoken is known by its name.
    """

    def __init__(self, ends: Sequence[Point], names: Mapping[str, Mapping[str, float]], lexicon: Lexicon) -> None:
        """`ends` are the last points of their conversations; `names` holds by tool the words of its name, weighted."""
        self._names, self.lexicon = names, lexicon
        self._rows = [
            Row(end.conversation_id, self.words(end.state, at), _called_after(end, at))
            for end in ends
            for at, _ in end.state.turns
        ]
        self._foresight = Foresight(self._rows, several=True, words=True)
        calls = Counter(tool for row in self._rows for tool in row.labels)
        self.telling = frozenset(tool for tool, n in calls.items() if n <= _USUAL * len(self._rows))
        self._recall = lru_cache(maxsize=_KEPT)(self._worked_out)

    def wanted(self, state: State, hidden: Collection[str] = ()) -> Mapping[str, float]:
        """Tool → the chance. `hidden` conversations have not been learned from."""
        return self._recall(self.words(state, state.at), self._foresight.part(hidden))

    def words(self, state: State, until: int) -> tuple[str, ...]:
        """The marks of the words with which the customer began with what they want, and of those said since."""
        since = state.errand_of(until)
        turns = [self.lexicon.marks(text) for at, text in state.turns if since <= at <= until]
        later = (f"{_LATER}{mark}" for marks in turns[1:] for mark in marks)
        return tuple(dict.fromkeys((*(turns[0] if turns else ()), *later)))

    def _worked_out(self, words: Sequence[str], without: int) -> Mapping[str, float]:
        if not self._foresight.labels:
            return {}
        bent, named, usual = self._bend
        points = bent * _points(self._foresight.left_out(words, without)) + named * self._named(words) + usual
        return dict(zip(self._foresight.labels, (1 / (1 + np.exp(-points))).tolist(), strict=True))

    @cached_property
    def _bend(self) -> tuple[float, float, Matrix]:
        """How much the learned points count, how much a tool's name, and how usual each tool is."""
        from scipy.optimize import minimize  # noqa: PLC0415  # 30 MB that only who acts needs

        labels, size = self._foresight.labels, len(self._foresight.labels)
        rows = sampled(self._rows, _BENT)
        parts = [self._foresight.part({row.conversation_id}) for row in rows]
        learned = np.array(
            [_points(self._foresight.left_out(row.marks, part)) for row, part in zip(rows, parts, strict=True)]
        )
        named = np.array([self._named(row.marks) for row in rows])
        called = np.array([[label in row.labels for label in labels] for row in rows], np.float64)

        def loss(at: Matrix) -> tuple[float, Matrix]:
            chances = 1 / (1 + np.exp(-np.clip(at[0] * learned + at[1] * named + at[2:], -40, 40)))
            wrong = chances - called
            right = called * np.log(chances + 1e-12) + (1 - called) * np.log(1 - chances + 1e-12)
            slope = np.concatenate([[(wrong * learned).sum(), (wrong * named).sum()], wrong.sum(axis=0) + at[2:]])
            return float((at[2:] ** 2).sum() / 2 - right.sum()), slope

        start = np.concatenate([[1.0, 0.0], np.zeros(size)])
        found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, 4), (0, 4), *[(-4, 4)] * size]).x
        return float(found[0]), float(found[1]), found[2:]

    def _named(self, words: Sequence[str]) -> Matrix:
        said = {word.removeprefix(_LATER) for word in words}
        return np.array(
            [
                sum(weight for word, weight in self._names.get(tool, {}).items() if word in said)
                for tool in self._foresight.labels
            ]
        )


class Moves:
    """How likely each kind of move is next: to call a tool, to ask for something, to tell, to end."""

    def __init__(
        self,
        points: Sequence[Point],
        purposes: Sequence[Sequence[str]],
        wishes: Wishes,
        parting: Parting,
        write_tools: frozenset[str],
    ) -> None:
        """`purposes` says of each point what its move was for."""
        self._wishes, self._parting, self._write_tools = wishes, parting, write_tools
        self._foresight = Foresight(
            [
                Row(point.conversation_id, self._marks(point.state, {point.conversation_id}), tuple(purpose))
                for point, purpose in zip(sampled(points), sampled(purposes), strict=True)
            ]
        )

    def expected(self, state: State, hidden: Collection[str] = ()) -> Mapping[str, float]:
        return self._foresight.chances(self._marks(state, hidden), hidden)

    @property
    def marks(self) -> Sequence[str]:
        return self._foresight.marks

    @property
    def purposes(self) -> Sequence[str]:
        return self._foresight.labels

    def known_marks(self, state: State, hidden: Collection[str] = ()) -> tuple[str, ...]:
        """Where the conversation stands, in marks the record has too."""
        return self._foresight.known(self._marks(state, hidden))

    def _marks(self, state: State, hidden: Collection[str]) -> tuple[str, ...]:
        return (*_marks(state, self._wishes), *self._stage(state, hidden), *self._wants(state, hidden))

    def _stage(self, state: State, hidden: Collection[str]) -> Iterator[str]:
        """Whether the customer is about to go, or has just begun with something."""
        leaving = self._parting.chance(state, hidden)
        if leaving >= _SURELY:
            yield "leaving"
        elif state.raised:
            yield "raised"

    def _wants(self, state: State, hidden: Collection[str]) -> Iterator[str]:
        """What the customer seems to want, and what of it is still to be done."""
        wanted = self._wishes.wanted(state, hidden)
        for tool, chance in wanted.items():
            if chance >= _MAYBE:
                yield f"wants {tool}" if chance >= _SURELY else f"may want {tool}"
            if chance >= _SURELY and state.is_due(tool, self._write_tools):
                yield f"due {tool}"
        about = max(self._wishes.telling & wanted.keys(), key=lambda tool: (wanted[tool], tool), default="")
        yield from (f"about {about}", f"about {about} {state.event}", f"about {about} {mood_of(state)}")


def _points(chances: Mapping[str, float]) -> Matrix:
    """Chances as points of a logistic curve."""
    row = np.clip(np.array(list(chances.values())), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(row / (1 - row)))


def _called_after(end: Point, at: int) -> tuple[str, ...]:
    """The tools called after a turn, for what the customer then wanted."""
    until = end.state.errand_ends(at)
    later = {made.call.name for made in end.state.calls if at < made.at < until}
    return tuple(sorted(later | {call.name for call in end.calls if until > end.state.at}))


def _marks(state: State, wishes: Wishes) -> tuple[str, ...]:
    """Where the conversation stands, in marks that are there or not."""
    event = state.event
    return (
        f"event {event}",
        f"mood {mood_of(state)}",
        f"turns {min(len(state.turns), 5)}",
        *(f"done {tool}" for tool in sorted(state.tools_done)),
        *(f"now done {tool}" for tool in sorted(state.errand_done)),
        *(f"{event} after {tool}" for tool in sorted(state.tools_done)),
        *(f"refused {made.call.name}" for made in state.calls if made.failed),
        *(f"known {kind}" for kind in sorted({said.value.kind for said in state.said})),
        *(f"answer {mark}" for mark in answer_marks(state)),
        *(f"asked {mark}" for mark in wishes.lexicon.marks(state.asked)),
        *(f"now {mark}" for mark in (wishes.lexicon.marks(state.words) if event == "user" else ())),
        *_looked_for(state, wishes.lexicon),
        *wishes.words(state, state.at),
    )


def _looked_for(state: State, lexicon: Lexicon) -> Iterator[str]:
    """Whether the tools have shown what the customer has named: until then, who knows where it is looks on."""
    named = {each for at, text in state.turns if at >= state.errand_at for each in lexicon.named(text)}
    for word, field in sorted({("found" if norm in state.shown else "sought", field) for field, norm in named}):
        yield from (f"{word} {field}", f"{word} {field} {state.event}")
