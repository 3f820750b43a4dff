"""Conversations in, whose they are out: what tells one customer from another."""

from collections.abc import Iterable, Sequence

from agent_gym.text import values_in
from agent_gym.types import Message

__all__ = ["are_strangers", "customer_marks", "customer_words", "naming_marks"]


def customer_words(messages: Iterable[Message]) -> str:
    return " ".join(message.text for message in messages if message.role == "user")


def customer_marks(messages: Iterable[Message]) -> frozenset[str]:
    """What a customer says of themselves: an address, a number of theirs. Short numbers tell nobody from another."""
    personal, others = _marks(messages)
    return personal | others


def naming_marks(messages: Iterable[Message]) -> frozenset[str]:
    """The surest of them: two customers may own the same thing and read out its number, but not share an address."""
    personal, others = _marks(messages)
    return personal or others


def are_strangers(mine: Sequence[Message], theirs: Sequence[Message], marks: frozenset[str]) -> bool:
    """Whether both customers say who they are, and nothing of the one stands anywhere in the other's conversation.

    One customer may give an address here and a number there: then the records that were looked up hold both.
    `marks`: the naming marks of `theirs`, as many are held against one.
    """
    if not marks or _stand_in(marks, customer_words(mine)):
        return False
    own = naming_marks(mine)
    return bool(own) and not _stand_in(marks, _all_of(mine)) and not _stand_in(own, _all_of(theirs))


def _marks(messages: Iterable[Message]) -> tuple[frozenset[str], frozenset[str]]:
    found = values_in(customer_words(messages))
    personal = frozenset(v.norm for v in found if v.kind in ("email", "phone"))
    return personal, frozenset(v.norm for v in found if v.kind == "id" and len(v.norm) >= 5)


def _stand_in(marks: Iterable[str], text: str) -> bool:
    low = text.lower()
    return any(mark in low for mark in marks)


def _all_of(messages: Iterable[Message]) -> str:
    texts = [f"{m.text} {'' if m.result is None else m.result} {[c.arguments for c in m.tool_calls]}" for m in messages]
    return "\n".join(texts)
