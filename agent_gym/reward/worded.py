"""A sentence in, its words as they can be compared with others' out: values blanked, and where a "not" stood."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.reward.language import Language
from agent_gym.reward.said import is_negator
from agent_gym.reward.sentences import Sentence
from agent_gym.text import Value, tokens

__all__ = ["BLANK", "LONGEST", "Worded", "worded"]

LONGEST = 3  # words in a row that say something
BLANK = "0"
_JOINED = {"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall"}
_CONTRACTED = {"'ve": "have", "'ll": "will", "'s": "is", "'re": "are", "'m": "am"}


@dataclass(frozen=True, slots=True)
class Worded:
    """The words without values and without what denies them."""

    words: tuple[str, ...]
    gaps: tuple[int, ...]  # places of the words that a negator stood before
    values: tuple[Value, ...]  # in the order of the words that stand for them; names are words

    def phrases(self) -> Iterator[str]:
        """Every few words in a row."""
        for end in range(1, len(self.words) + 1):
            for start in self.starts(end):
                yield self.phrase(start, end)

    def starts(self, end: int) -> range:
        """Where a phrase that ends there may start."""
        return range(max(0, end - LONGEST), end)

    def phrase(self, start: int, end: int) -> str:
        return " ".join(self.words[start:end])

    def denials(self, language: Language) -> Iterator[int]:
        """The gaps behind an auxiliary, in a statement: `is not`, and neither `will not` nor `if it is not`."""
        for gap in self.gaps:
            ahead = self.words[:gap]
            if not language.auxiliaries.isdisjoint(ahead[-language.gap :]) and language.open.isdisjoint(ahead):
                yield gap

    def value_at(self, place: int) -> Value | None:
        return self.values[self.words[:place].count(BLANK)] if self.words[place] == BLANK else None


# Agents say the same again and again.
@lru_cache(maxsize=8192)
def worded(sentence: Sentence) -> Worded:
    values = tuple(value for value in sentence.values if value.kind != "name")
    text = sentence.text
    for value in reversed(values):
        text = f"{text[: value.start]} {BLANK} {text[value.start + len(value.text) :]}"
    words: list[str] = []
    gaps: list[int] = []
    for word in tokens(text):
        if is_negator(word):
            words += _before_not(word)
            gaps.append(len(words))
        else:
            ending = next((one for one in _CONTRACTED if word.endswith(one)), "")
            words += [word.removesuffix(ending), _CONTRACTED[ending]] if ending else [word]
    return Worded(tuple(words), tuple(gaps), values)


def _before_not(word: str) -> list[str]:
    """The verb that a negator was joined to."""
    if word in _JOINED:
        return [_JOINED[word]]
    return [word.removesuffix("n't")] if word.endswith("n't") else []
