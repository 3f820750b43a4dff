"""Sums that agents work out: a conversation in, whether its customer asks for one and what they were told out."""

import re
from collections.abc import Iterator, Sequence

from agent_gym.reward.language import how_much
from agent_gym.reward.support import Record, cents
from agent_gym.text import kept_values, parsed
from agent_gym.types import Message

__all__ = ["amounts_in", "asks_how_much", "worked_out_in"]

_BARE = re.compile(r"\s*-?[\d.,]+\s*")  # the answer of a tool that only reckons


def asks_how_much(messages: Sequence[Message]) -> bool:
    return any(how_much().search(message.text.lower()) for message in messages if message.role == "user")


def worked_out_in(messages: Sequence[Message], replies: Sequence[str]) -> frozenset[int]:
    """The amounts, in hundredths, that the last reply with such amounts tells and neither customer nor tools had.

    What a tool has reckoned, and answers with nothing but the number, was worked out as well.
    """
    if not asks_how_much(messages):
        return frozenset()
    known = Record([m for m in messages if m.role == "user" or (m.role == "tool" and not _reckons(m))]).cents
    for reply in reversed(replies):
        if found := frozenset(amounts_in(reply)) - known:
            return found
    return frozenset()


def amounts_in(text: str) -> Iterator[int]:
    """In hundredths; a number with cents is one, though no sign stands before it."""
    for value in kept_values(text):
        if value.kind == "amount" or (value.kind == "number" and "." in value.text):
            yield cents(value)


def _reckons(answer: Message) -> bool:
    result = parsed(answer.result if answer.result is not None else answer.content)
    return isinstance(result, int | float) or (isinstance(result, str) and bool(_BARE.fullmatch(result)))
