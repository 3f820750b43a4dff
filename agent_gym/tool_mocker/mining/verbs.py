"""A tool's name in, what it suggests out: a prior, for where the record shows nothing to compare."""

import re
from dataclasses import dataclass

__all__ = ["Kind", "kind_by_name", "words_of"]

_READS = frozenset(
    "get find list search lookup look check show view read fetch query calculate compute verify validate "
    "describe count estimate display retrieve think browse ls pwd cat grep diff is has which where what".split()
)
_WRITES = frozenset(
    "cancel modify update create add delete remove set change return exchange issue apply send book reserve "
    "buy order pay refund post put register schedule transfer submit close open resolve reopen rename move "
    "mkdir touch rm mv cp echo edit start stop restart reset replace assign pause resume activate deactivate "
    "lock unlock enable disable insert purchase place make request play subscribe unsubscribe upgrade downgrade "
    "confirm rsvp share log fill press adjust follow unfollow comment".split()
)
_HANDS_OVER = frozenset("transfer escalate handoff handover human".split())
_TO_WHOM = frozenset("human humans agent agents representative person operator supervisor specialist".split())


@dataclass(frozen=True, slots=True)
class Kind:
    """What a tool does, and why we think so."""

    writes: bool
    ends: bool
    why: str


def kind_by_name(name: str) -> Kind:
    """What the name alone suggests."""
    words = words_of(name)
    if _HANDS_OVER & set(words) and (_TO_WHOM | {"escalate"}) & set(words):
        return Kind(False, True, "its name hands the customer over")
    verb = next((word for word in words if word in _READS or word in _WRITES), None)
    if verb is None:
        return Kind(False, False, "nothing says that it changes anything")
    return Kind(verb in _WRITES, False, f"its name says {verb!r}; no record to compare")


def words_of(name: str) -> list[str]:
    """The words of a tool's name, whatever joins them."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
