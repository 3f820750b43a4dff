"""Recorded calls in, kinds of tools out: which ones write, and which hand the customer over.

Evidence first: a write's result differs from what its conversation last knew of the record. The verb in
the name only decides where there is nothing to compare.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.tables import Site, records_in
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["Kind", "find_kinds", "kind_by_name", "words_of"]

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


def find_kinds(conversations: Iterable[Sequence[Recorded]], sites: Mapping[tuple[str, str], Site]) -> dict[str, Kind]:
    changed: dict[str, int] = {}
    compared: dict[str, int] = {}
    names: dict[str, int] = {}
    for calls in conversations:
        known: dict[tuple[str, str], Mapping[str, Json]] = {}
        for call in calls:
            names[call.name] = names.get(call.name, 0) + 1
            if call.is_error:
                continue
            for record in records_in(sites, call.name, call.arguments, call.result):
                before = known.get((record.table, record.key), {})
                shared = [name for name in record.fields if name in before and before[name] != record.key]
                if record.path == "" and shared:
                    compared[call.name] = compared.get(call.name, 0) + 1
                    changed[call.name] = changed.get(call.name, 0) + _differs(before, record.fields, shared)
                known[record.table, record.key] = {**before, **record.fields}
    return {name: _kind(name, changed.get(name, 0), compared.get(name, 0)) for name in sorted(names)}


def _differs(before: Mapping[str, Json], after: Mapping[str, Json], shared: Sequence[str]) -> bool:
    return any(canonical(before[name]) != canonical(after[name]) for name in shared)


def _kind(name: str, changed: int, compared: int) -> Kind:
    by_name = kind_by_name(name)
    if by_name.ends or compared < 2:
        return by_name
    writes = changed / compared >= 0.5
    return Kind(writes, False, f"its result differed from the last known record {changed} of {compared} times")


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
