"""A reply in, its sentences out, made ready to be held against other sentences, whatever values they name."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.reward.likeness import stem
from agent_gym.reward.said import is_negator
from agent_gym.text import Value, tokens, values_in
from agent_gym.types import Message

__all__ = ["Sentence", "final_places", "has_negator", "sentences", "values_said"]

_NEAR = 0.75  # the share of words that two sentences have in common if one was made from the other
_EQUAL = 0.9  # the same where nothing but a "not" may differ: "feel free to call" is "don't hesitate to call"
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?=\w))+[.!?]*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`stems` are the words without values and without what denies them."""

    text: str
    stems: frozenset[str]
    values: tuple[Value, ...]
    denies: bool

    @property
    def asks(self) -> bool:
        return self.text.endswith("?")

    def like(self, other: "Sentence") -> bool:
        """Whether one may have been made from the other, with other values or a "not"."""
        return self._shares(other, _NEAR)

    def equals(self, other: "Sentence") -> bool:
        """The same in all but a "not"."""
        return self._shares(other, _EQUAL)

    def _shares(self, other: "Sentence", share: float) -> bool:
        small, large = sorted((len(self.stems), len(other.stems)))
        if small < share * large:
            return False
        shared = len(self.stems & other.stems)
        return shared >= max(1, share * (small + large - shared))


# The words of a reference are compared with those of many conversations; they are worked out once.
@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[Sentence, ...]:
    plain = text.replace("’", "'")
    found = [_sentence(part.strip()) for part in _SENTENCE.findall(plain)]
    return tuple(sentence for sentence in found if sentence.stems or sentence.values)


# To cut a reply into sentences costs more than to see that none of them can deny anything.
@lru_cache(maxsize=8192)
def has_negator(text: str) -> bool:
    return any(map(is_negator, tokens(text.replace("’", "'"))))


@lru_cache(maxsize=8192)
def values_said(text: str) -> tuple[Value, ...]:
    return tuple(values_in(text))


def final_places(messages: Sequence[Message], write_tools: Collection[str]) -> list[int]:
    """The places of what the agent said after its last write; of all it said where it wrote nothing."""
    wrote = [at for at, message in enumerate(messages) if any(c.name in write_tools for c in message.tool_calls)]
    start = wrote[-1] if wrote else -1
    return [
        at
        for at, message in enumerate(messages)
        if at > start and message.role == "assistant" and not message.tool_calls and message.text.strip()
    ]


def _sentence(text: str) -> Sentence:
    values = tuple(values_in(text))
    named = {word for value in values if value.kind != "name" for word in tokens(value.text)}
    words = [word for word in tokens(text) if word not in named]
    denials = sum(map(is_negator, words))
    return Sentence(text, frozenset(stem(w) for w in words if not is_negator(w)), values, denials % 2 == 1)
