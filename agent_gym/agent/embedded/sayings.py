"""Which recorded replies say much the same: the words of each in, the name of its kind out.

Two answers to "when does my contract end" differ in their words and in the date; what makes them one kind is that they
share the words that few other replies have.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

__all__ = ["OTHER", "kinds_of_replies"]

OTHER = "say something else"  # what is said too seldom to be a kind
_ALIKE = 0.35  # the share of telling words from which on two replies say the same
_ENOUGH = 3  # replies that make a kind
_NAMED = 3  # words a kind is named by


def kinds_of_replies(wordings: Mapping[int, frozenset[str]]) -> Mapping[int, str]:
    """The kind of each reply, by its number: named by its most telling words."""
    heard = Counter(word for words in wordings.values() for word in words)
    weight = {word: math.log(1 + len(wordings) / n) for word, n in heard.items()}
    firsts: list[frozenset[str]] = []
    members: dict[int, list[int]] = defaultdict(list)
    # The commonest wordings first: what others are compared with is then typical of its kind.
    order = sorted(
        wordings, key=lambda number: (-sum(heard[w] for w in wordings[number]) / max(1, len(wordings[number])), number)
    )
    for number in order:
        words = wordings[number]
        likeness = [(_shared(words, first, weight), -place) for place, first in enumerate(firsts)]
        best = max(likeness, default=(0.0, 0))
        if best[0] >= _ALIKE:
            members[-best[1]].append(number)
        else:
            members[len(firsts)].append(number)
            firsts.append(words)
    kinds: dict[int, str] = {}
    for numbers in members.values():
        name = _name([wordings[number] for number in numbers], weight) if len(numbers) >= _ENOUGH else OTHER
        kinds |= dict.fromkeys(numbers, name)
    return kinds


def _shared(one: frozenset[str], other: frozenset[str], weight: Mapping[str, float]) -> float:
    both = sum(weight[word] for word in one & other)
    return both / (sum(weight[word] for word in one | other) or 1.0)


def _name(wordings: Sequence[frozenset[str]], weight: Mapping[str, float]) -> str:
    told = Counter(word for words in wordings for word in words)
    telling = sorted(told, key=lambda word: (-told[word] * weight[word] ** 2, word))
    return f"say {' '.join(telling[:_NAMED])}"
