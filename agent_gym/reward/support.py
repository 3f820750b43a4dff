"""Messages in, whether they support a value out: all that they say as one text, and every number in it."""

import re
from collections.abc import Sequence
from functools import cached_property

from agent_gym.text import Value
from agent_gym.types import Message

__all__ = ["Record", "cents"]

_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")
_AMOUNT = re.compile(r"\d{1,12}(?:\.\d{1,4})?")


class Record:
    """What stands in messages, their tools' answers and their calls. Worked out as far as it is asked."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def shows(self, word: str) -> bool:
        """Whether the word stands there as it is, not as a piece of a longer number."""
        return _stands_in(word, self._raw)

    def holds(self, value: Value) -> bool:
        if value.kind in ("amount", "number", "percent"):
            # Most numbers stand there as they are: only for the others all that is there is read as numbers.
            return _stands_in(value.norm.lstrip("-"), self._text) or cents(value) in self.cents
        return value.norm in self._text

    def opens(self, piece: str) -> bool:
        """Whether a word begins with the piece."""
        return re.search(rf"\b{re.escape(piece)}", self._text) is not None

    def matches(self, form: re.Pattern[str]) -> bool:
        return form.search(self._text) is not None

    @cached_property
    def cents(self) -> frozenset[int]:
        """Every number that stands there, in hundredths."""
        return frozenset(round(100 * float(number)) for number in _AMOUNT.findall(self._text))

    @cached_property
    def _raw(self) -> str:
        texts = [f"{m.text} {'' if m.result is None else m.result}" for m in self._messages]
        texts += [str(call.arguments) for message in self._messages for call in message.tool_calls]
        return "\n".join(texts).lower()

    @cached_property
    def _text(self) -> str:
        return _THOUSANDS.sub("", self._raw)


def cents(value: Value) -> int:
    return abs(round(100 * float(value.norm)))


def _stands_in(number: str, text: str) -> bool:
    at = text.find(number)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(number) : at + len(number) + 1]
        if not before.isdigit() and before != "." and not after.isdigit():
            return True
        at = text.find(number, at + 1)
    return False
