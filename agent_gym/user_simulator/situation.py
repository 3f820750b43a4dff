"""A live conversation and a profile in, where the customer stands in it out.

Everything is derived from the messages: a customer has no memory that a copy of the conversation
would not give back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agent_gym.text import Value, tokens, values_in
from agent_gym.types import Message
from agent_gym.user_simulator import english
from agent_gym.user_simulator.acts import AgentTurn, content_words, read_turn, repeats
from agent_gym.user_simulator.profile import CustomerProfile, Fact
from agent_gym.user_simulator.talk import Listener

__all__ = ["OwnTurn", "Reader", "Situation"]

_ATTENTION = 8_000  # characters of one turn: nobody reads on, and no agent may stall the game with more
_NEARLY = 0.8


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """Something the customer has said in this conversation; `like`: the recorded turns that say the same."""

    text: str
    values: frozenset[str]
    like: tuple[int, ...]


class _Heard(NamedTuple):
    """A turn of the agent's, as read."""

    turn: AgentTurn
    values: tuple[Value, ...]
    norms: frozenset[str]


# Episodes come back to the same turns at every step, and so do their forks.
@lru_cache(maxsize=4096)
def _heard(text: str) -> _Heard:
    values = tuple(values_in(text))
    return _Heard(read_turn(text), values, frozenset(value.norm for value in values))


class Reader:
    """Reads a live conversation for one customer."""

    __slots__ = ("_live", "_own", "_profile", "_repeats")

    def __init__(self, profile: CustomerProfile) -> None:
        self._profile = profile
        self._live = Listener()
        self._own: dict[str, OwnTurn] = {}
        self._repeats: dict[tuple[str, ...], int] = {}

    def situation(self, messages: Sequence[Message]) -> "Situation":
        talk = self._live.follow(messages)
        earlier = [_heard(turn.heard[:_ATTENTION]) for turn in talk.turns]
        heard = _heard(talk.heard[:_ATTENTION])
        own = tuple(self._own_turn(turn.said) for turn in talk.turns)
        told = frozenset[str]().union(*(turn.values for turn in own))
        before = tuple(one.turn for one in earlier)
        return Situation(
            heard=heard.turn,
            earlier=before,
            own=own,
            used=_used(own),
            told=told,
            known=told.union(heard.norms, *(one.norms for one in earlier)),
            values=heard.values,
            repeats=self._count_repeats((*before[1:], heard.turn)),
            messages=messages,
            profile=self._profile,
        )

    def _own_turn(self, text: str) -> OwnTurn:
        if text not in self._own:
            recorded = next((one for one in self._profile.spoken if one.said == text), None)
            values = recorded.values if recorded else frozenset(v.norm for v in values_in(text))
            self._own[text] = OwnTurn(text, values, tuple(_like(text, self._profile)))
        return self._own[text]

    def _count_repeats(self, turns: tuple[AgentTurn, ...]) -> int:
        """As `acts.count_repeats`, from the count of one turn before where that is known."""
        key = tuple(turn.text for turn in turns)
        if key not in self._repeats:
            before = self._count_repeats(turns[:-1]) if turns[1:] else 0
            self._repeats[key] = before + repeats(turns[-1], turns[:-1])
        return self._repeats[key]


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a live conversation stands, as the customer sees it."""

    heard: AgentTurn
    values: tuple[Value, ...]  # that are in what was heard
    earlier: tuple[AgentTurn, ...]
    own: tuple[OwnTurn, ...]
    used: frozenset[int]  # the recorded turns that have been said, word for word or in substance
    told: frozenset[str]  # the norms of the values the customer has said
    known: frozenset[str]  # of those it has heard or said
    repeats: int  # how often the agent has come back to what it had said before
    messages: Sequence[Message]
    profile: CustomerProfile

    def has_said(self, fact: Fact) -> bool:
        return fact.norm in self.told or any(fact.text.lower() in turn.text.lower() for turn in self.own)

    def was_told_done(self) -> bool:
        return any("claims_done" in turn.acts for turn in (*self.earlier[1:], self.heard))

    def dealt_with(self, request: str) -> bool:
        """Whether the agent has spoken of nearly all that a request is about."""
        about = {word for word in tokens(request) if word not in english.EMPTY}
        spoken_of = self.heard.words.union(*(turn.words for turn in self.earlier[1:]))
        return len(about & spoken_of) >= _NEARLY * len(about)

    def has_uttered(self, words: str) -> bool:
        return any(words in turn.text for turn in self.own)

    def was_refused(self) -> bool:
        """Whether something was refused before this turn."""
        return any("refuses" in turn.acts for turn in self.earlier[1:])


def _like(text: str, profile: CustomerProfile) -> Iterator[int]:
    words = content_words(text)
    for turn, spoken in enumerate(profile.spoken):
        # Short replies ("Yes.") are alike by accident: only the very words count for them.
        both = len(spoken.words & words)
        near = len(spoken.words) > 2 and both >= 0.6 * len(spoken.words)
        part = len(words) > 2 and both >= 0.9 * len(words)  # what could be said of the recorded turn
        if near or part or spoken.said == text:
            yield turn


def _used(own: Sequence[OwnTurn]) -> frozenset[int]:
    """A turn uses up one recorded turn, the earliest that is left."""
    used: set[int] = set()
    for turn in own:
        used.update([k for k in turn.like if k not in used][:1])
    return frozenset(used)
