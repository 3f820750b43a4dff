"""What the customer's words lead to: recorded turns and what followed them in, the direction of new words out.

A word is known by what agents did and said after it, so that "it died this morning" and "no signal since noon"
point the same way. Words that lead anywhere point nowhere.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.talk import State

__all__ = ["Intents"]

_SCARCE = 4.0  # a word seen this often counts half
_FADES = 0.6  # an earlier turn counts this much of the one after it
_WIDEST = 300  # words of agents' replies that mark a direction


class Intents:
    """The directions learned from whole conversations: one axis a tool or telling word of what followed."""

    def __init__(self, ends: Mapping[str, State]) -> None:
        """`ends` are the conversations, by id, as they stood at their last move."""
        names = [name for name, state in ends.items() for _ in state.turns]
        turns = [(at, set(_stems(text)), state) for state in ends.values() for at, text in state.turns]
        futures = [_future(at, state) for at, _, state in turns]
        axes = _axes(futures)
        followed = np.zeros((len(turns), len(axes)), np.float32)
        for row, future in zip(followed, futures, strict=True):
            row[[axes[mark] for mark in sorted(future) if mark in axes]] = 1.0
        usual = followed.mean(axis=0) if turns else np.zeros(len(axes), np.float32)
        spread = np.sqrt(np.maximum(usual * (1 - usual), 0.01))
        places: dict[str, list[int]] = {}
        for n, (_, stems, _) in enumerate(turns):
            for stem in sorted(stems):
                places.setdefault(stem, []).append(n)
        self.size = len(axes)
        self._places, self._turns_of = places, _by_name(names)
        self._followed, self._usual, self._spread = followed, usual, spread
        self._directions = {stem: self._pointing(rows) for stem, rows in places.items()}

    def direction(self, state: State, hidden: Collection[str] = ()) -> NDArray[np.float32]:
        """Where the customer's turns so far point, the latest most; of length 1, or 0 if nowhere.

        What followed in `hidden` conversations is not known.
        """
        unknown = {row for name in hidden for row in self._turns_of.get(name, ())}
        total = np.zeros(self.size, np.float32)
        for at, text in state.turns:
            if at < state.errand_at:
                continue
            total *= np.float32(_FADES)
            for stem in dict.fromkeys(_stems(text)):
                rows = self._places.get(stem, [])
                if not unknown.isdisjoint(rows):
                    total += self._pointing([row for row in rows if row not in unknown])
                elif rows:
                    total += self._directions[stem]
        length = float(np.linalg.norm(total))
        return total / np.float32(length) if length else total

    def _pointing(self, rows: Sequence[int]) -> NDArray[np.float32]:
        """Where a word points that stands in these turns."""
        if not rows:
            return np.zeros(self.size, np.float32)
        more = self._followed[rows].sum(axis=0) - len(rows) * self._usual
        weight = np.float32(math.log(1 + len(self._followed) / len(rows)))
        return np.asarray(more / (len(rows) + _SCARCE) / self._spread * weight, np.float32)


def _by_name(names: Sequence[str]) -> Mapping[str, Sequence[int]]:
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return rows


def _future(at: int, end: State) -> set[str]:
    """The marks of what followed a turn: the tools called, and the words agents said."""
    until = end.errand_ends(at)
    marks = {f"call {call.call.name}" for call in end.calls if at < call.at < until}
    later = (m for m in end.talk.messages[at + 1 : until] if m.role == "assistant")
    return marks | {stem for message in later for stem in _stems(message.text)}


def _axes(futures: Iterable[set[str]]) -> dict[str, int]:
    """Marks that tell futures apart: neither in nearly all of them nor in next to none."""
    every = list(futures)
    counts = Counter(mark for future in every for mark in future)
    telling = [m for m, n in counts.items() if m.startswith("call ") or 3 <= n <= 0.3 * len(every)]
    telling.sort(key=lambda mark: (not mark.startswith("call "), -counts[mark], mark))
    return {mark: i for i, mark in enumerate(telling[:_WIDEST])}


def _stems(text: str) -> list[str]:
    """The beginnings of words; what holds a digit is a value and leads nowhere."""
    return [word[:5] for word in tokens(text) if word.isalpha() and len(word) > 2]
