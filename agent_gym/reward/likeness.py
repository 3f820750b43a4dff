"""How alike two texts are in their words and the order of them, without a model."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rapidfuzz.distance import Indel

__all__ = ["likeness", "overlap", "stem"]


def likeness(left: Sequence[str], right: Sequence[str]) -> float:
    """0 to 1. Words alone would not tell a sentence from its words shuffled, so order counts too."""
    if not left or not right:
        return 0.0
    return 0.6 * overlap(left, right) + 0.4 * Indel.normalized_similarity(left, right)


def overlap(left: Iterable[str], right: Iterable[str]) -> float:
    """F1 of the two bags of words: what is left out counts, and so does what is added."""
    mine, theirs = _bag(left), _bag(right)
    shared = sum(_weight(word) * n for word, n in (mine & theirs).items())
    both = sum(_weight(word) * n for bag in (mine, theirs) for word, n in bag.items())
    return 2 * shared / both if both else 0.0


def stem(word: str) -> str:
    """What the forms of a word share: cancel, cancelled, cancellation."""
    return word[:5] if word.isalpha() else word


def _bag(words: Iterable[str]) -> Counter[str]:
    return Counter(map(stem, words))


def _weight(word: str) -> int:
    """Long words carry the sense, in any language."""
    return min(len(word), 5)
