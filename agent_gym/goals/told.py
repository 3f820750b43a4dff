"""What the customer was told: the agent's words in, whether they name a fact out.

Conversations are scored by the thousand and most of what is said in them is never asked about, so the
words are kept as they are and looked through only for the facts of a goal.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from agent_gym.text import kept_values
from agent_gym.types import Message

__all__ = ["QUESTION_MARKS", "Told", "heard_in"]

QUESTION_MARKS = ("?", "？", "؟")

_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")
_DECIMAL_COMMA = re.compile(r",(?<=\d,)(?=\d{1,2}(?!\d))")
_WRITTEN_OTHERWISE = re.compile(r"\d\d:\d\d|(?:\d{4}-)?\d\d-\d\d|-.*")  # times, dates, negative numbers
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_PHONE = re.compile(r"\d{7,15}")
_PHONE_MARKS = str.maketrans("", "", " -()+")


class Told:
    """Asked with `in` for a `Value.norm`. To give back what the customer has said is to tell nothing."""

    def __init__(self, texts: Iterable[str], asked: Iterable[tuple[int, str]] = ()) -> None:
        """`asked`: what the customer said, each with the number of texts told before."""
        self._texts = tuple(texts)
        self._asked = tuple(asked)

    def __contains__(self, fact: str) -> bool:
        return self._names(fact) and not self._gives_back(fact)

    def _gives_back(self, fact: str) -> bool:
        if fact not in self._asked_words and not _WRITTEN_OTHERWISE.fullmatch(fact) and not _PHONE.fullmatch(fact):
            return False
        said = next((before for before, text in self._customer if text._names(fact)), None)
        return said is not None and not Told(self._texts[:said])._names(fact)

    @cached_property
    def _customer(self) -> list[tuple[int, "Told"]]:
        return [(before, Told((text,))) for before, text in self._asked]

    def _names(self, fact: str) -> bool:
        if _WRITTEN_OTHERWISE.fullmatch(fact):
            return fact in self.norms
        if _stands_in(fact, self._words):
            return True
        return _PHONE.fullmatch(fact) is not None and fact in self._words.translate(_PHONE_MARKS)

    @cached_property
    def _asked_words(self) -> str:
        return _plain(text for _, text in self._asked)

    @cached_property
    def norms(self) -> frozenset[str]:
        """Value.norm of everything that was told."""
        return frozenset(value.norm for text in self._texts for value in kept_values(text))

    @cached_property
    def _words(self) -> str:
        return _plain(self._texts)


def _plain(texts: Iterable[str]) -> str:
    words = _THOUSANDS.sub("", "\n".join(texts).lower())
    return _DECIMAL_COMMA.sub(".", words)


def _stands_in(fact: str, words: str) -> bool:
    """Finding the letters is quick; only where they stand, their neighbours are looked at."""
    at = words.find(fact)
    while at >= 0:
        if _form(fact).match(words, at):
            return True
        at = words.find(fact, at + 1)
    return False


def heard_in(messages: Sequence[Message]) -> list[int]:
    """The places of the agent's words that the customer heard.

    Words beside tool calls are not delivered; they count only in a turn without any other, as in logs that
    keep a reply and a call in one message.
    """
    heard: list[int] = []
    plain: list[int] = []
    aside: list[int] = []
    for place, message in enumerate(messages):
        if message.role == "user":
            heard += plain or aside
            plain, aside = [], []
        elif message.role == "assistant" and message.content and not message.content.isspace():
            (aside if message.tool_calls else plain).append(place)
    return heard + (plain or aside)


# A goal's facts are looked for in many conversations.
@lru_cache(maxsize=4096)
def _form(fact: str) -> re.Pattern[str]:
    """The fact as it stands in a text: as a number or a word of its own, not as a piece of another."""
    if _NUMBER.fullmatch(fact):
        zeros = "0*" if "." in fact else r"(?:\.0+)?"
        return re.compile(rf"(?<!\w)(?<!\d\.){re.escape(fact)}{zeros}(?!\d|\.\d)")
    return re.compile(rf"(?<![\w-]){re.escape(fact)}(?!\w|-\w)")
