"""Conversations in, whose they are out: what tells one customer from another."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_gym.text import values_in
from agent_gym.types import Message

__all__ = ["Marks", "are_strangers", "customer_marks", "customer_words"]


def customer_words(messages: Iterable[Message]) -> str:
    return " ".join(message.text for message in messages if message.role == "user")


class Marks(NamedTuple):
    """What a customer says of themselves. Short numbers tell nobody from another."""

    personal: frozenset[str]  # addresses, numbers to call
    others: frozenset[str]  # accounts, orders, things: two customers may own the same thing and read out its number

    @property
    def all(self) -> frozenset[str]:
        return self.personal | self.others


def customer_marks(messages: Iterable[Message]) -> Marks:
    found = values_in(customer_words(messages))
    personal = frozenset(v.norm for v in found if v.kind in ("email", "phone"))
    return Marks(personal, frozenset(v.norm for v in found if v.kind == "id" and len(v.norm) >= 5))


def are_strangers(mine: Sequence[Message], theirs: Sequence[Message], marks: Marks) -> bool:
    """Whether both customers say who they are, and nothing shows that they are one.

    One customer may give an address here and a number there: then the records that were looked up hold both.
    `marks`: those of `theirs`, as many are held against one.
    """
    if not marks.all or _stand_in(marks.all, customer_words(mine)):
        return False
    own = customer_marks(mine)
    if not own.all or own.all & marks.all:
        return False
    return not _stand_in(marks.personal or marks.others, _all_of(mine)) and not _stand_in(
        own.personal or own.others, _all_of(theirs)
    )


def _stand_in(marks: Iterable[str], text: str) -> bool:
    low = text.lower()
    return any(mark in low for mark in marks)


def _all_of(messages: Iterable[Message]) -> str:
    texts = [f"{m.text} {'' if m.result is None else m.result} {[c.arguments for c in m.tool_calls]}" for m in messages]
    return "\n".join(texts)
