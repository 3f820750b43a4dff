"""A text made ready to be compared: its words, sentences and values, worked out once."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.reward.language import negators
from agent_gym.reward.likeness import Bag, bag
from agent_gym.text import Value, tokens, values_in

__all__ = ["Said", "is_negator", "said"]

_USUAL = 20_000  # characters


@dataclass(frozen=True, slots=True)
class Said:
    """`words` are in lower case, one spelling for all look-alikes; `sentences` are words too."""

    text: str
    words: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]
    values: tuple[Value, ...]
    norms: frozenset[str]
    bag: Bag
    bags: tuple[Bag, ...]  # of its sentences, without what denies


def said(text: str) -> Said:
    """A reference is compared with many replies: what a text of usual length says is worked out once."""
    return _kept(text) if len(text) <= _USUAL else _said(text)


def _said(text: str) -> Said:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    values = tuple(values_in(plain))
    sentences = tuple(words for s in re.split(r"[.!?;\n]+(?=\s|$)", plain) if (words := tuple(tokens(s))))
    words = tuple(word for sentence in sentences for word in sentence)
    bags = tuple(bag([word for word in sentence if not is_negator(word)]) for sentence in sentences)
    return Said(plain, words, sentences, values, frozenset(value.norm for value in values), bag(words), bags)


_kept = lru_cache(maxsize=8192)(_said)


@lru_cache(maxsize=65_536)
def is_negator(word: str) -> bool:
    """In any language."""
    return word in negators() or word.endswith("n't") or word.startswith("n'")
