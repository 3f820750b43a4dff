"""A text made ready to be compared: its words, sentences and values, each worked out when first asked for."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agent_gym.reward.language import negators
from agent_gym.reward.likeness import Bag, bag
from agent_gym.text import Value, tokens, values_in

__all__ = ["PREFIXES", "Said", "is_negator", "known_said", "said"]

_USUAL = 20_000  # characters
PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il")
_STOPS = re.compile(r"[.!?;\n]+(?=\s|$)")


@dataclass(frozen=True)  # without slots: most replies are told apart by their words, and nothing else is asked
class Said:
    """`words` are in lower case, one spelling for all look-alikes."""

    text: str
    words: tuple[str, ...]

    @cached_property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The words of each."""
        return tuple(words for part in _STOPS.split(self.text) if (words := tuple(tokens(part))))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return tuple(values_in(self.text))

    @cached_property
    def norms(self) -> frozenset[str]:
        return frozenset(value.norm for value in self.values)

    @cached_property
    def bag(self) -> Bag:
        return bag(self.words)

    @cached_property
    def bags(self) -> tuple[Bag, ...]:
        """Of its sentences, without what denies."""
        return tuple(bag([word for word in sentence if not is_negator(word)]) for sentence in self.sentences)

    @cached_property
    def denies(self) -> bool:
        """Whether anything in it does."""
        return not negators().isdisjoint(self.words) or ("'" in self.text and any(map(is_negator, self.words)))

    @cached_property
    def denied(self) -> frozenset[str]:
        """The words that it denies by a prefix: `usual` of `unusual`."""
        marked = [word for word in self.words if word.startswith(PREFIXES)]
        return frozenset(word.removeprefix(prefix) for word in marked for prefix in PREFIXES if word.startswith(prefix))

    @cached_property
    def line(self) -> str:
        """Its words with a space between them."""
        return " ".join(self.words)


def known_said(text: str) -> Said:
    """What a text says that others are compared with: of usual length, it is worked out once and kept."""
    return _kept(text) if len(text) <= _USUAL else said(text)


def said(text: str) -> Said:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")
    return Said(plain, tuple(tokens(plain)))


_kept = lru_cache(maxsize=8192)(said)


@lru_cache(maxsize=65_536)
def is_negator(word: str) -> bool:
    """In any language."""
    return word in negators() or word.endswith("n't") or word.startswith("n'")
