"""Every move of the recorded agents with the state it was made in: traces in, the most similar points out.

Likeness is a weighted sum of parts a person can read: the same event (the customer spoke, or this tool
answered), the same tools used, the same kinds of value known, and how alike the words are.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from agent_gym.agent.embedded.answers import answer_marks
from agent_gym.agent.embedded.intents import Intents
from agent_gym.agent.embedded.leaves import Names
from agent_gym.agent.embedded.manner import asks_for_yes, consents, corrects, refuses, takes_leave
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.text import TextIndex
from agent_gym.types import Message, ToolCall, Trace

__all__ = ["TOLD", "Memory", "Near", "Point", "mood_of", "points_of"]

# How much each part of likeness counts. The event and the tools used say where in its course a
# conversation is; the words say what it is about.
LIKENESS: Mapping[str, float] = {
    "event": 2.0,
    "tools": 0.4,
    "errand": 0.8,
    "previous": 0.1,
    "known": 0.7,
    "mood": 0.2,
    "since": 0.2,
    "words": 1.5,
    "opener": 0.1,
    "story": 1.2,
    "intent": 2.4,
    "asked": 1.3,
    "answer": 1.0,
}
TOLD = ("words", "intent", "asked", "answer")  # the parts that candidates are told apart by
_SHARP = 25.0  # how fast a point loses its say as it becomes less alike
_NO_WORD = re.compile(r"[\W_]+")
_KEPT = 128  # texts whose similarities are remembered: a customer's words are looked up at every turn after them


@dataclass(frozen=True, slots=True)
class Point:
    """One recorded move (`calls`, or else `reply`) and what it led to: the next calls, `then`, if any."""

    conversation_id: str
    state: State
    calls: tuple[ToolCall, ...]
    reply: str
    then: tuple[ToolCall, ...] = ()
    answer: str = ""  # the customer's words that followed a reply
    last: bool = False
    final: bool = False  # that answer was the customer's last word

    @property
    def closes(self) -> bool:
        """Whether this is a parting word: the last of its conversation, with nothing asked."""
        return self.last and self.state.event == "user" and "?" not in self.reply

    @property
    def ends(self) -> bool:
        """Whether the customer took leave after this, or nothing more was said."""
        return self.last or self.final

    @property
    def move(self) -> str:
        return f"call {self.calls[0].name}" if self.calls else "reply"


@dataclass(frozen=True, slots=True)
class Near:
    """A point, by its number, with its likeness and its share of the say; `alike` has the likeness part by part."""

    number: int
    point: Point
    likeness: float
    weight: float
    alike: Mapping[str, float] = field(default_factory=dict)


def points_of(trace: Trace, names: Names | None = None, policy: str = "") -> list[Point]:
    """The trace's moves, from the first customer turn on."""
    talk = Talk(trace.messages, names, policy)
    places = [i for i, m in enumerate(trace.messages) if m.role == "assistant" and (m.text.strip() or m.tool_calls)]
    points = []
    for n, at in enumerate(places):
        message, following = trace.messages[at], places[n + 1 :]
        state = State(talk, at)
        if not state.turns:
            continue
        answer = _next_words(trace.messages, at)
        then = trace.messages[following[0]].tool_calls if following and answer else ()
        reply = "" if message.tool_calls else message.text
        final = bool(answer) and not any(m.role == "user" for m in trace.messages[at + 2 :])
        points.append(
            Point(trace.conversation_id, state, message.tool_calls, reply, then, answer, not following, final)
        )
    return points


def _next_words(messages: Sequence[Message], at: int) -> str:
    following = messages[at + 1] if at + 1 < len(messages) else None
    return following.text if following is not None and following.role == "user" else ""


class _Texts:
    """Texts indexed once each, though many points share one: one similarity a point."""

    def __init__(self, texts: Iterable[str]) -> None:
        numbers: dict[str, int] = {}
        self._rows = np.array([numbers.setdefault(_short(text), len(numbers)) for text in texts], np.int64)
        self._index = TextIndex(numbers)
        self._recall = lru_cache(maxsize=_KEPT)(self._look_up)

    def similarities(self, text: str) -> NDArray[np.float32]:
        return self._recall(_short(text))

    def _look_up(self, text: str) -> NDArray[np.float32]:
        found: NDArray[np.float32] = self._index.similarities(text)[self._rows]
        return found


def _short(text: str) -> str:
    """The beginning and the end: what a long message says in between decides no move."""
    words = text.split()
    return text if len(words) <= 80 else " ".join(words[:40] + words[-40:])


class _Sets:
    """Sets as rows of 0 and 1: their overlap (Jaccard) with another set, one a point."""

    def __init__(self, sets: Sequence[frozenset[str]]) -> None:
        names = sorted({name for each in sets for name in each})
        self._columns = {name: i for i, name in enumerate(names)}
        self._rows = np.zeros((len(sets), len(names)), np.float32)
        for row, each in zip(self._rows, sets, strict=True):
            row[[self._columns[name] for name in each]] = 1.0
        self._sizes = self._rows.sum(axis=1)

    def overlaps(self, other: frozenset[str]) -> NDArray[np.float32]:
        chosen = [self._columns[name] for name in sorted(other) if name in self._columns]
        shared = self._rows[:, chosen].sum(axis=1)
        union = self._sizes + len(other) - shared
        overlap: NDArray[np.float32] = np.where(union > 0, shared / np.maximum(union, 1), 1).astype(np.float32)
        return overlap


class Memory:
    """All points of the learned conversations, and which of them a state is most like."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = tuple(points)
        self._places = _places(points)
        states = [point.state for point in points]
        self._events = np.array([state.event for state in states])
        self._previous = np.array([_previous(state) for state in states])
        self._mood = np.array([mood_of(state) for state in states])
        self._since = np.array([_since(state) for state in states])
        self._tools = _Sets([state.tools_done for state in states])
        self._errand = _Sets([state.errand_done for state in states])
        self._known = _Sets([_known(state) for state in states])
        self._words = _Texts(state.words for state in states)
        self._openers = _Texts(state.opener for state in states)
        self._intents = Intents(_ends(points))
        self._directions = np.array([self._intents.direction(state) for state in states], np.float32)
        self._stories = _Texts(state.story for state in states)
        self._asked = _Texts(state.asked for state in states)
        self._answers = _Texts(_answer_words(state) for state in states)

    def near(self, state: State, k: int, hidden: Collection[str] = ()) -> list[Near]:
        """The k most similar points, best first; their weights sum to 1. `hidden` conversations have no say."""
        parts = self._parts(state, hidden) if self.points else {}
        likeness = self._likeness(parts)
        for conversation_id in hidden:
            likeness[self._places.get(conversation_id, slice(0))] = -1.0
        best = _largest(likeness, k)
        if not len(best):
            return []
        weights = np.exp(_SHARP * (likeness[best] - likeness[best[0]]))
        weights /= weights.sum()
        alike = {name: parts[name][best].tolist() for name in TOLD}
        return [
            Near(i, self.points[i], float(likeness[i]), weight, {name: alike[name][n] for name in TOLD})
            for n, (i, weight) in enumerate(zip(best.tolist(), weights.tolist(), strict=True))
        ]

    def _likeness(self, parts: Mapping[str, NDArray[np.float32] | NDArray[np.bool_]]) -> NDArray[np.float64]:
        total = sum(LIKENESS.values())
        likeness = np.zeros(len(self.points))
        for name, part in parts.items():
            likeness += LIKENESS[name] / total * part
        return likeness

    def _parts(self, state: State, hidden: Collection[str]) -> dict[str, NDArray[np.float32] | NDArray[np.bool_]]:
        return {
            "event": self._events == state.event,
            "tools": self._tools.overlaps(state.tools_done),
            "errand": self._errand.overlaps(state.errand_done),
            "previous": self._previous == _previous(state),
            "known": self._known.overlaps(_known(state)),
            "mood": self._mood == mood_of(state),
            "since": self._since == _since(state),
            "words": self._words.similarities(state.words),
            "opener": self._openers.similarities(state.opener),
            "story": self._stories.similarities(state.story),
            # Not `@`: a threaded product costs more than it saves here, and its last bits vary.
            "intent": np.maximum(np.einsum("ij,j->i", self._directions, self._intents.direction(state, hidden)), 0),
            "asked": self._asked.similarities(state.asked),
            "answer": self._answers.similarities(_answer_words(state)),
        }

    @cached_property
    def flow(self) -> Mapping[str, Mapping[str, float]]:
        """event → move → how often it followed."""
        counts: dict[str, Counter[str]] = {}
        for point in self.points:
            counts.setdefault(point.state.event, Counter())[point.move] += 1
        return {
            event: {move: n / moves.total() for move, n in sorted(moves.items())} for event, moves in counts.items()
        }


def _places(points: Sequence[Point]) -> Mapping[str, slice]:
    """Where the points of each conversation stand: one after the other."""
    places: dict[str, slice] = {}
    for n, point in enumerate(points):
        first = places[point.conversation_id].start if point.conversation_id in places else n
        places[point.conversation_id] = slice(first, n + 1)
    return places


def _largest(likeness: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """The places of the k largest that are not hidden, largest first, the earlier of equals first."""
    least = np.partition(likeness, -k)[-k] if len(likeness) > k else -1.0
    chosen = np.flatnonzero((likeness >= least) & (likeness >= 0))
    order: NDArray[np.int64] = chosen[np.argsort(-likeness[chosen], kind="stable")][:k]
    return order


def _ends(points: Sequence[Point]) -> dict[str, State]:
    """Each conversation, by its id, as it stood at its last move."""
    return {point.conversation_id: point.state for point in points}


def mood_of(state: State) -> str:
    """How the customer's last words stand to the question before them."""
    if consents(state.words):
        return "agreed" if asks_for_yes(state.asked) else "yes"
    if refuses(state.words):
        return "correction" if corrects(state.words) else "no"
    return "parting" if takes_leave(state.words) else "other"


def _previous(state: State) -> str:
    return " ".join(call.call.name for call in state.calls[-2:])


def _since(state: State) -> int:
    """Calls since the customer last spoke: how far into an errand."""
    return min(4, sum(call.at > state.spoke for call in state.calls))


def _known(state: State) -> frozenset[str]:
    return frozenset(said.value.kind for said in state.said)


def _answer_words(state: State) -> str:
    """What tools have answered since the customer spoke, as one text: each mark one word."""
    return " ".join(_NO_WORD.sub("", mark) for mark in answer_marks(state))
