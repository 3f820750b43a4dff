"""What speaks for and against a move: a state and the record in, features a person can read out.

Every feature lies between about -1 and 1, and is 0 where it says nothing.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent_gym.agent.embedded.leaves import words_of
from agent_gym.agent.embedded.manner import asks_for_yes, consents, corrects, refuses, takes_leave
from agent_gym.agent.embedded.points import TOLD, Near
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.talk import State

__all__ = ["Features", "Traits"]

Features = dict[str, float]
_RARE = 1e-3  # what is rarer than this is no more surprising
_LIKELY = 0.5
_MANY = 3.0  # new values in one reply, from which on more of them make no difference


@dataclass
class Traits:
    """One state, looked at once for all its candidates."""

    state: State
    record: Record
    near: Sequence[Near]
    hidden: frozenset[str]

    def of_move(self, move: str, vote: float) -> Features:
        """How often, where and with what success the record made this move."""
        best = self.near[0].likeness if self.near else 1.0
        behind = next((near for near in self.near if near.point.move == move), None)
        return {
            "vote": min(vote, 1.0),
            "likeness": behind.likeness / best if behind is not None and best else 0.0,
            **self.of_point(behind),
            "follows": self.record.memory.flow.get(self.state.event, {}).get(move, 0.0),
            "won": self.record.won(self.state.event, move),
        }

    def of_purpose(self, purposes: Collection[str]) -> Features:
        """How likely the record is to do this next, by where the conversation stands; all that it does counts."""
        chance = min(1.0, sum(self._expected.get(purpose, 0.0) for purpose in purposes))
        return {"expected": chance, "surprise": -math.log(max(chance, _RARE)) / -math.log(_RARE)}

    @cached_property
    def _expected(self) -> Mapping[str, float]:
        return self.record.moves.expected(self.state, self.hidden)

    def of_point(self, near: Near | None) -> Features:
        """How alike the nearest point behind a move is, part by part."""
        return {f"like {name}": near.alike[name] if near is not None else 0.0 for name in TOLD}

    def of_tool(self, tool: str, vote: float) -> Features:
        """What speaks for a step towards this tool; what is hard to undo needs better reasons."""
        write, wanted = float(tool in self.record.write_tools), self.wanted.get(tool, 0.0)
        return {
            **self.of_move(f"call {tool}", vote),
            "named": self.record.named(tool, self.state),
            "declined": write * float(self.state.event == "user" and refuses(self.state.words)),
            "leaving": float(self.leaving),
            "agreed": float(tool in self.agreed_to),
            "not agreed": write * float(bool(self.agreed_to) and tool not in self.agreed_to),
            "wanted": wanted,
            "used": float(tool in self.state.tools_done),
            "write": write,
            "write wanted": write * wanted,
            "write voted": write * min(vote, 1.0),
            "failed": self._failed(tool),
        }

    def of_words(self, text: str) -> Features:
        """What the words do, whoever they come from."""
        question = "?" in text
        return {
            "tells": min(1.0, len(self._news(text)) / _MANY),
            "question": float(question),
            "asks for a yes": float(question and asks_for_yes(text)),
            "repeated": self.times(text),
        }

    def of_asking(self, names: Collection[str]) -> Features:
        """What speaks for and against asking for these arguments: the customer has spoken of such a thing, it was asked
        for before, or the customer has nothing to say."""
        asked = sum(name in self._asked for name in names) / len(names) if names else 0.0
        spoken_of = any(stem in self._story for name in names for stem in _stems(words_of(name)))
        return {"asked": asked, "fruitless": self._fruitless if names else 0.0, "spoken of": float(spoken_of)}

    @cached_property
    def _story(self) -> frozenset[str]:
        return frozenset(_stems(self.state.story))

    def of_ending(self, ends: bool) -> Features:
        heard = not self.leaving and (self.state.raised or (self.state.event == "user" and corrects(self.state.words)))
        return {
            "ends": float(ends),
            "unfinished": self._pending if ends else 0.0,
            "ignores": float(ends and heard),
        }

    @cached_property
    def leaving(self) -> bool:
        return self.record.parting.chance(self.state, self.hidden) >= _LIKELY

    @cached_property
    def agreed_to(self) -> frozenset[str]:
        """The writes to which the customer has just said yes."""
        state = self.state
        agreed = state.event == "user" and consents(state.words)
        return self.record.asked_about(state.asked) if agreed else frozenset()

    @cached_property
    def wanted(self) -> dict[str, float]:
        return dict(self.record.wishes.wanted(self.state, self.hidden))

    @cached_property
    def _pending(self) -> float:
        """How likely it is that a tool not called yet is needed."""
        return max((p for tool, p in self.wanted.items() if self.is_due(tool)), default=0.0)

    def is_due(self, tool: str) -> bool:
        return self.state.is_due(tool, self.record.write_tools)

    def times(self, text: str) -> float:
        return float(self.state.replies.count(text))

    def _failed(self, tool: str) -> float:
        """1 if the tool has refused since the customer last spoke."""
        spoke = self.state.spoke
        return float(any(c.failed and c.call.name == tool and c.at > spoke for c in self.state.calls))

    def _news(self, text: str) -> set[str]:
        """The values of the text that tools have told, and nobody has said yet."""
        told = {value.norm for value in values_in(text)}
        return {norm for norm in told if norm in self.state.shown and norm not in self._spoken}

    @cached_property
    def _spoken(self) -> frozenset[str]:
        said = {said.value.norm for said in self.state.said}
        return frozenset(said.union(value.norm for text in self.state.replies for value in values_in(text)))

    @cached_property
    def _asked(self) -> frozenset[str]:
        return frozenset(name for text in self.state.replies for name in self.record.asked_in(text))

    @cached_property
    def _fruitless(self) -> float:
        """The share of the last two answers to questions that held neither a value nor a yes."""
        answers = [text for _, text in self.state.turns[1:]][-2:]
        empty = [text for text in answers if not values_in(text) and not consents(text) and not takes_leave(text)]
        return len(empty) / 2


def _stems(text: str) -> list[str]:
    return [word[:5] for word in tokens(text) if len(word) > 2]
