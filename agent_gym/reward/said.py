"""A text made ready to be compared: its words, sentences and values, worked out once."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.reward.language import negators
from agent_gym.text import Value, tokens, values_in

__all__ = ["Said", "is_negator", "said"]


@dataclass(frozen=True, slots=True)
class Said:
    """`words` are in lower case, one spelling for all look-alikes; `sentences` are words too."""

    text: str
    words: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...]
    values: tuple[Value, ...]
    norms: frozenset[str]


# A reference is compared with many replies; what it says is worked out once.
@lru_cache(maxsize=8192)
def said(text: str) -> Said:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    values = tuple(values_in(plain))
    sentences = tuple(words for s in re.split(r"[.!?;\n]+(?=\s|$)", plain) if (words := tuple(tokens(s))))
    words = tuple(word for sentence in sentences for word in sentence)
    return Said(plain, words, sentences, values, frozenset(value.norm for value in values))


def is_negator(word: str) -> bool:
    """In any language."""
    return word in negators() or word.endswith("n't") or word.startswith("n'")
