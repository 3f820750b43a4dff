"""TF-IDF retrieval: texts in, the nearest of them out, the same on every machine.

Sparse postings in numpy, cosine over words and word pairs. Ties go to the earlier text, so that the
order of answers never depends on hashing.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["TextIndex", "tokens"]

_WORD = re.compile(r"[^\W_]+(?:'[a-z]+)?")
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


class TextIndex:
    """An immutable index over texts; a text is known by its position."""

    __slots__ = ("_idf", "_postings", "_size")

    def __init__(self, texts: Iterable[str]) -> None:
        counts = [_terms(text) for text in texts]
        self._size = len(counts)
        frequency: Counter[str] = Counter()
        for count in counts:
            frequency.update(count.keys())
        self._idf = {term: math.log((1 + self._size) / (1 + n)) + 1 for term, n in frequency.items()}
        rows: dict[str, list[tuple[int, float]]] = {}
        for position, count in enumerate(counts):
            weights = self._weights(count)
            for term, weight in weights.items():
                rows.setdefault(term, []).append((position, weight))
        self._postings: dict[str, tuple[NDArray[np.int32], NDArray[np.float32]]] = {
            term: (
                np.fromiter((p for p, _ in row), np.int32, len(row)),
                np.fromiter((w for _, w in row), np.float32, len(row)),
            )
            for term, row in rows.items()
        }

    def __len__(self) -> int:
        return self._size

    def _weights(self, count: Counter[str]) -> dict[str, float]:
        weights = {t: (1 + math.log(n)) * self._idf[t] for t, n in count.items() if t in self._idf}
        # A term the index has never seen still makes the text less like any other.
        unseen = sum(n for t, n in count.items() if t not in self._idf) * (math.log(1 + self._size) + 1) ** 2
        norm = math.sqrt(sum(w * w for w in weights.values()) + unseen) or 1.0
        return {term: weight / norm for term, weight in weights.items()}

    def similarities(self, text: str) -> NDArray[np.float32]:
        """The cosine of the text with every indexed one."""
        scores = np.zeros(self._size, np.float32)
        for term, weight in self._weights(_terms(text)).items():
            positions, weights = self._postings[term]
            scores[positions] += np.float32(weight) * weights
        return scores

    def nearest(self, text: str, k: int = 1, among: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """The k nearest texts with their similarity, best first; `among` limits who may answer."""
        scores = self.similarities(text)
        if among is not None:
            allowed = np.zeros(self._size, bool)
            allowed[list(among)] = True
            scores = np.where(allowed, scores, np.float32(-1))
        best = np.argsort(-scores, kind="stable")[:k]
        return [(int(i), float(scores[i])) for i in best if scores[i] > 0]
