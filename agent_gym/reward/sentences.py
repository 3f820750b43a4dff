"""A reply in, its sentences out, made ready to be held against other sentences, whatever values they name."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from agent_gym.reward.language import negators
from agent_gym.reward.likeness import stem
from agent_gym.reward.said import is_negator
from agent_gym.text import Value, may_hold_values, tokens, values_in
from agent_gym.types import Message

__all__ = ["Sentence", "final_places", "has_negator", "sentences"]

_NEAR = 0.75  # the share of words that two sentences have in common if one was made from the other
_EQUAL = 0.9  # the same where nothing but a "not" may differ: "feel free to call" is "don't hesitate to call"
_SENTENCE = re.compile(r"(?:[^.!?\n]++|[.!?](?=\w))++[.!?]*")


@dataclass(frozen=True)  # without slots: of most sentences little is asked, so all is worked out when it is
class Sentence:
    """`words` are all of them."""

    text: str
    words: tuple[str, ...]

    @property
    def asks(self) -> bool:
        return self.text.endswith("?")

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return tuple(values_in(self.text))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The words without values and without what denies them."""
        return frozenset(stem(word) for word in self._plain_words if not is_negator(word))

    @cached_property
    def denies(self) -> bool:
        return any(map(is_negator, self.words)) and sum(map(is_negator, self._plain_words)) % 2 == 1

    @cached_property
    def _plain_words(self) -> Sequence[str]:
        if not may_hold_values(self.text):
            return self.words
        named = {word for value in self.values if value.kind != "name" for word in tokens(value.text)}
        return [word for word in self.words if word not in named]

    def like(self, other: "Sentence") -> bool:
        """Whether one may have been made from the other, with other values or a "not"."""
        return self._shares(other, _NEAR)

    def equals(self, other: "Sentence") -> bool:
        """The same in all but a "not"."""
        return self._shares(other, _EQUAL)

    def _shares(self, other: "Sentence", share: float) -> bool:
        mine, theirs = len(self.stems), len(other.stems)
        small, large = (mine, theirs) if mine < theirs else (theirs, mine)
        if small < share * large:
            return False
        shared = len(self.stems & other.stems)
        return shared >= max(1, share * (small + large - shared))


# The words of a reference are compared with those of many conversations; they are worked out once.
@lru_cache(maxsize=8192)
def sentences(text: str) -> tuple[Sentence, ...]:
    parts = [part.strip() for part in _SENTENCE.findall(text.replace("’", "'"))]
    found = [Sentence(part, tuple(tokens(part))) for part in parts]
    return tuple(one for one in found if not all(map(is_negator, one.words)) or one.values)


# To cut a reply into sentences costs more than to see that none of them can deny anything.
@lru_cache(maxsize=8192)
def has_negator(text: str) -> bool:
    plain = text.replace("’", "'")
    words = tokens(plain)
    return not negators().isdisjoint(words) or ("'" in plain and any(map(is_negator, words)))


def final_places(messages: Sequence[Message], write_tools: Collection[str]) -> list[int]:
    """The places of what the agent said after its last write; of all it said where it wrote nothing."""
    wrote = (
        at
        for at in range(len(messages) - 1, -1, -1)
        if messages[at].tool_calls and any(call.name in write_tools for call in messages[at].tool_calls)
    )
    start = next(wrote, -1) if write_tools else -1
    return [at for at in range(start + 1, len(messages)) if _is_speech(messages[at])]


def _is_speech(message: Message) -> bool:
    content = message.content
    return message.role == "assistant" and not message.tool_calls and bool(content and not content.isspace())
