"""The few texts of one conversation in, how near another text is to each of them out.

`text.TextIndex` answers for thousands of texts at once; for the ten or so that one customer heard, plain
dictionaries are built and asked several times faster, and this is asked at every turn of every episode.
"""

import math
from collections import Counter
from collections.abc import Sequence

from agent_gym.text import tokens

__all__ = ["Nearness"]


class Nearness:
    """Cosine of TF-IDF weights over words; a text is known by its position."""

    __slots__ = ("_idf", "_postings", "_size")

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(tokens(text)) for text in texts]
        self._size = len(counts)
        frequency: Counter[str] = Counter()
        for count in counts:
            frequency.update(count.keys())
        self._idf = {term: math.log((1 + self._size) / (1 + n)) + 1 for term, n in frequency.items()}
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for position, count in enumerate(counts):
            for term, weight in self._weights(count):
                self._postings.setdefault(term, []).append((position, weight))

    def __call__(self, text: str) -> list[float]:
        """The nearness, in [0, 1], to every one of the texts."""
        near = [0.0] * self._size
        for term, weight in self._weights(Counter(tokens(text))):
            for position, other in self._postings[term]:
                near[position] += weight * other
        return near

    def _weights(self, count: Counter[str]) -> list[tuple[str, float]]:
        known = [(term, (1 + math.log(n)) * self._idf[term]) for term, n in count.items() if term in self._idf]
        # A term never heard still makes the text less like any other.
        unseen = (len(count) - len(known)) * (math.log(1 + self._size) + 1) ** 2
        norm = math.sqrt(sum(weight * weight for _, weight in known) + unseen) or 1.0
        return [(term, weight / norm) for term, weight in known]
