"""How alike two texts are in their words and the order of them, without a model."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Indel

__all__ = ["Bag", "bag", "blend", "in_order", "likeness", "overlap", "stem"]

_STEM = 5


class Bag(NamedTuple):
    """The stems of a text, each with its weight as often as it stands there. Long words carry the sense."""

    weights: Mapping[str, int]
    total: int


def likeness(left: Sequence[str], right: Sequence[str]) -> float:
    """0 to 1. Words alone would not tell a sentence from its words shuffled, so order counts too."""
    return blend(overlap(bag(left), bag(right)), in_order(left, right))


def blend(words: float, order: float) -> float:
    return 0.6 * words + 0.4 * order


def in_order(left: Sequence[str], right: Sequence[str]) -> float:
    """How much of both texts is the same words in the same order."""
    return Indel.normalized_similarity(left, right) if left and right else 0.0


def overlap(mine: Bag, theirs: Bag) -> float:
    """F1 of the two bags of words: what is left out counts, and so does what is added."""
    left, right = mine.weights, theirs.weights
    shared = 0
    for word in left.keys() & right.keys():
        one, other = left[word], right[word]
        shared += one if one < other else other  # noqa: FURB136  min() takes three times as long, and this is the loop
    return 2 * shared / (mine.total + theirs.total) if shared else 0.0


def bag(words: Iterable[str]) -> Bag:
    weights: dict[str, int] = {}  # a Counter takes four times as long to make
    total = 0
    for known, weight in map(_weighed, words):
        weights[known] = weights.get(known, 0) + weight
        total += weight
    return Bag(weights, total)


# Speech is made of the same few thousand words.
@lru_cache(maxsize=65_536)
def _weighed(word: str) -> tuple[str, int]:
    known = stem(word)
    return known, min(len(known), _STEM)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """What the forms of a word share: cancel, cancelled, cancellation."""
    return word[:_STEM] if word.isalpha() else word
