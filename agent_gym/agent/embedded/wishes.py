"""What a customer will need: their words in, how likely each tool is still to be called out.

One linear regression a tool, on the beginnings of words: those of the last turn of some length, and those of all.
Learned with conversations left out in parts, so that a recorded customer can be met as an unknown one.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.talk import State

__all__ = ["Wishes"]

_PARTS = 3
_WORDS = 400  # of each kind: the commonest
_ROWS = 2000  # turns learned from: more would cost time and teach little
_PENALTY = 10.0
_LONG = 4  # words; a shorter turn is an answer and no wish
_KEPT = 1024

Matrix = NDArray[np.float32]


class Wishes:
    """Learned when first asked, from conversations as they stood at their last move."""

    def __init__(self, ends: Sequence[tuple[str, State]]) -> None:
        rows = [(name, end, at) for name, end in ends for at, _ in end.turns]
        rows = rows[:: max(1, len(rows) // _ROWS)]
        self.tools = tuple(sorted({call.call.name for _, end in ends for call in end.calls}))
        words = [_words([text for place, text in end.turns if place <= at]) for _, end, at in rows]
        counts = Counter(word for each in words for word in each)
        common = [word for word, n in counts.items() if n >= 2]
        common.sort(key=lambda word: (-counts[word], word))
        self._columns = {word: column for column, word in enumerate(common[: 2 * _WORDS])}
        self._part = {name: place % _PARTS for place, (name, _) in enumerate(ends)}
        self._rows = [(self._part[name], self._places(each)) for (name, _, _), each in zip(rows, words, strict=True)]
        self._later = [{call.call.name for call in end.calls if call.at > at} for _, end, at in rows]
        self._weights = lru_cache(maxsize=_PARTS + 1)(self._learned)
        self._recall = lru_cache(maxsize=_KEPT)(self._likely)

    def wanted(self, state: State, hidden: Collection[str] = ()) -> Mapping[str, float]:
        """Tool → the chance that it is still to be called; `hidden` conversations have not been learned from."""
        parts = frozenset(self._part[name] for name in hidden if name in self._part)
        return self._recall(tuple(text for _, text in state.turns), min(parts, default=-1) if parts else -1)

    def _likely(self, turns: Sequence[str], without: int) -> Mapping[str, float]:
        if not self.tools:
            return {}
        places = [*self._places(_words(turns)), len(self._columns)]
        points = self._weights(without)[places].sum(axis=0)
        return dict(zip(self.tools, np.clip(points.astype(float), 0.0, 1.0).tolist(), strict=True))

    def _places(self, words: Iterable[str]) -> list[int]:
        return [self._columns[word] for word in words if word in self._columns]

    @cached_property
    def _table(self) -> tuple[Matrix, Matrix]:
        told = np.zeros((len(self._rows), len(self._columns) + 1), np.float32)
        told[:, -1] = 1.0
        called = np.zeros((len(self._rows), len(self.tools)), np.float32)
        for n, ((_, places), later) in enumerate(zip(self._rows, self._later, strict=True)):
            told[n, places] = 1.0
            called[n, [self.tools.index(name) for name in sorted(later)]] = 1.0
        return told, called

    def _learned(self, without: int) -> Matrix:
        """One column a tool, one row a word, the last row for none; `without` is the part left out."""
        told, called = self._table
        kept = np.array([part != without for part, _ in self._rows], bool)
        if not kept.any():
            return np.zeros((told.shape[1], called.shape[1]), np.float32)
        return _fitted(told[kept], called[kept])


def _fitted(told: Matrix, called: Matrix) -> Matrix:
    """Least squares with a ridge: as good as a logistic fit at telling tools apart, and a hundred times faster."""
    weigh = np.full(told.shape[1], _PENALTY)
    weigh[-1] = 1e-3  # how common a call is may be learned freely
    squares = (told.T @ told).astype(np.float64) + np.diag(weigh)
    return np.asarray(np.linalg.solve(squares, (told.T @ called).astype(np.float64)), np.float32)


def _words(turns: Sequence[str]) -> list[str]:
    """The beginnings of all words said, and once more those of the last turn that is more than an answer."""
    said = dict.fromkeys(stem for text in turns for stem in _stems(text))
    wish = next((text for text in reversed(turns) if len(tokens(text)) > _LONG), "")
    return [*said, *(f"now {stem}" for stem in dict.fromkeys(_stems(wish)))]


def _stems(text: str) -> list[str]:
    return [word[:5] for word in tokens(text) if word.isalpha() and len(word) > 2]
