"""TF-IDF retrieval: texts in, the nearest of them out, the same on every machine.

Sparse postings in numpy, cosine over words and word pairs. Ties go to the earlier text, so that the
order of answers never depends on hashing.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.keeping import Keeper, Kept, Shelf, found_in
from agent_gym.types import Json

__all__ = ["TextIndex", "tokens"]

_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
_AT_HAND = 4096  # terms of a kept index
_BREAKS = {place: " " for place in range(128) if not chr(place).isalnum() and chr(place) != "'"}


def tokens(text: str) -> list[str]:
    low = text.lower()
    if not low.isascii():
        return _WORD.findall(low)
    # Most texts are plain, and splitting them is several times faster than matching their words.
    words = low.translate(_BREAKS).split()
    if "'" not in low:
        return words
    return [word for piece in words for word in ((piece,) if "'" not in piece else _WORD.findall(piece))]


def _terms(text: str) -> Counter[str]:
    words = tokens(text)
    return Counter(words) + Counter(f"{a} {b}" for a, b in pairwise(words))


class _Row(NamedTuple):
    """A term: how much it tells, and the texts that hold it, each with how often and the term's share in it."""

    idf: float
    positions: NDArray[np.int32]
    counts: NDArray[np.int32]
    weights: NDArray[np.float32]


class TextIndex:
    """An immutable index over texts; a text is known by its position."""

    __slots__ = ("_norms", "_rows")

    def __init__(self, texts: Iterable[str]) -> None:
        counts = [_terms(text) for text in texts]
        postings: dict[str, list[tuple[int, int]]] = {}
        for position, count in enumerate(counts):
            for term, n in count.items():
                postings.setdefault(term, []).append((position, n))
        idfs = {term: _idf(len(counts), len(posting)) for term, posting in postings.items()}
        self._norms = [_norm(((1 + math.log(n)) * idfs[term] for term, n in count.items()), 0.0) for count in counts]
        self._rows: Mapping[str, _Row] = {term: self._row(*zip(*row, strict=True)) for term, row in postings.items()}

    @classmethod
    def kept_in(cls, kept: Kept, name: str) -> Self:
        """The index that `keep` was asked for under the name; its terms are read as texts ask for them."""
        index = cls(())
        index._norms = found_in(kept, name, list)
        index._rows = _KeptRows(kept.shelf(name), index._row)
        return index

    def keep(self, keeper: Keeper, name: str) -> None:
        keeper.section(name, self._norms)
        keeper.shelf(name, ((term.encode(), _written(row)) for term, row in self._rows.items()))

    def __len__(self) -> int:
        return len(self._norms)

    def _row(self, positions: Sequence[int], counts: Sequence[int]) -> _Row:
        idf = _idf(len(self._norms), len(positions))
        shares = ((1 + math.log(n)) * idf / self._norms[at] for at, n in zip(positions, counts, strict=True))
        return _Row(
            idf,
            np.array(positions, np.int32),
            np.array(counts, np.int32),
            np.fromiter(shares, np.float32, len(positions)),
        )

    def similarities(self, text: str) -> NDArray[np.float32]:
        """The cosine of the text with every indexed one."""
        count = _terms(text)
        rows = {term: row for term in count if (row := self._rows.get(term)) is not None}
        weights = {term: (1 + math.log(count[term])) * row.idf for term, row in rows.items()}
        # A term the index has never seen still makes the text less like any other.
        unseen = sum(n for term, n in count.items() if term not in rows) * (math.log(1 + len(self)) + 1) ** 2
        norm = _norm(weights.values(), unseen)
        scores = np.zeros(len(self), np.float32)
        if rows:
            found = rows.values()
            weighed = np.array([weight / norm for weight in weights.values()], np.float32)
            shares = np.repeat(weighed, [len(row.positions) for row in found])
            shares *= np.concatenate([row.weights for row in found])
            # All terms at once: a step for each would take longer than the sums. They are added in the same order.
            np.add.at(scores, np.concatenate([row.positions for row in found]), shares)
        return scores

    def nearest(self, text: str, k: int = 1, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """The k nearest texts with their similarity, best first; `among` limits who may answer."""
        scores = self.similarities(text)
        if among is not None:
            allowed = np.zeros(len(self), bool)
            allowed[list(among)] = True
            scores = np.where(allowed, scores, np.float32(-1))
        near = np.flatnonzero(scores > 0)
        if len(near) > k > 0:  # to sort all of a large index would take as long as to compare with all of it
            near = near[scores[near] >= np.partition(scores[near], len(near) - k)[len(near) - k]]
        best = near[np.argsort(-scores[near], kind="stable")][:k]
        return [(int(i), float(scores[i])) for i in best]


def _idf(texts: int, holding: int) -> float:
    return math.log((1 + texts) / (1 + holding)) + 1


def _norm(weights: Iterable[float], unseen: float) -> float:
    return math.sqrt(sum(w * w for w in weights) + unseen) or 1.0


def _written(row: _Row) -> Json:
    """How far each text is from the one before, and how often each holds the term, if any does more than once."""
    steps = [place - before for before, place in pairwise([0, *row.positions.tolist()])]
    return [steps, row.counts.tolist()] if row.counts.max() > 1 else [steps]


class _KeptRows(Mapping[str, _Row]):
    """The terms on a shelf."""

    def __init__(self, shelf: Shelf, row: Callable[[Sequence[int], Sequence[int]], _Row]) -> None:
        self._shelf, self._row = shelf, row
        self._found = lru_cache(maxsize=_AT_HAND)(self._read)

    def _read(self, term: str) -> _Row | None:
        entry = self._shelf.get(term.encode())
        if entry is None:
            return None
        try:
            steps, *counts = entry
            return self._row(np.cumsum(steps).tolist(), counts[0] if counts else [1] * len(steps))
        except (ValueError, TypeError, IndexError) as error:
            raise self._shelf.damaged(error) from error

    def __getitem__(self, term: str) -> _Row:
        found = self._found(term)
        if found is None:
            raise KeyError(term)
        return found

    def __iter__(self) -> Iterator[str]:
        return (term.decode() for term, _ in self._shelf.entries())

    def __len__(self) -> int:
        return len(self._shelf)
