"""Facts in, dependencies out: what a field is where some of the arguments are the same.

A field may follow from a few of the arguments only. Each set of arguments is a way to know the field; how
often a way is right is counted on conversations other than those it is known from.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.rules.context import MISSING
from agent_gym.types import Json

__all__ = ["Dependency", "Fact", "find_dependencies"]

_MOST_ASKED = 120  # facts on which the ways are compared
_MOST_NAMES = 6  # arguments of which every set is tried
_MIN_RIGHT = 3
_WORTH = 0.03  # by how much a way must be surer than one that needs fewer arguments
_DOUBT = 2  # wrong answers that every way is charged with before it has given any

Key = tuple[str, ...]


class Fact(NamedTuple):
    """What one answer tells of a thing: the arguments that ask for it, folded, and its fields in canonical form."""

    conversation_id: str
    names: Mapping[str, str]
    fields: Mapping[str, Json]
    forms: Mapping[str, bytes]

    @classmethod
    def of(cls, conversation_id: str, names: Mapping[str, str], fields: Mapping[str, Json]) -> "Fact":
        return cls(conversation_id, names, fields, {name: canonical(value) for name, value in fields.items()})


@dataclass(frozen=True, slots=True)
class Way:
    """The field's commonest value for each value of some arguments, and how often that is right."""

    names: Key
    right: float
    values: Mapping[Key, Json]


@dataclass(frozen=True, slots=True)
class Dependency:
    """One field: the ways to know it, the surest first."""

    ways: tuple[Way, ...]

    def words(self) -> str:
        told = (f"{' and '.join(way.names) or 'any call'} ({way.right:.0%})" for way in self.ways)
        return f"by {', else by '.join(told)}"

    def known(self, names: Mapping[str, str]) -> tuple[Json, float]:
        """The field's value and how often such a value is right; MISSING where no way knows it."""
        for way in self.ways:
            key = _key(way.names, names)
            if key is not None and key in way.values:
                return way.values[key], way.right
        return MISSING, 0.0


def find_dependencies(
    fields: Iterable[str], asked: Sequence[Fact], pools: Sequence[Sequence[Fact]], names: Sequence[str]
) -> dict[str, Dependency]:
    """The ways to know each field of the answers `asked` from each of the pools, which may hold them too."""
    asked = asked[:_MOST_ASKED]
    ways: dict[str, list[tuple[float, Key, int]]] = {field: [] for field in fields}
    for at, facts in enumerate(pools):
        for chosen in _sets(names[:_MOST_NAMES]):
            groups = _grouped(chosen, facts, {_key(chosen, fact.names) for fact in asked})
            for field, found in ways.items():
                right, spoken = _tried(field, chosen, asked, groups)
                if right >= _MIN_RIGHT:
                    found.append((right / (spoken + _DOUBT), chosen, at))
    return {
        field: Dependency(tuple(Way(n, right, _values(field, n, pools[at])) for right, n, at in _useful(found)))
        for field, found in ways.items()
    }


def _sets(names: Sequence[str]) -> Iterator[Key]:
    for size in range(len(names) + 1):
        yield from itertools.combinations(names, size)


def _useful(ways: Sequence[tuple[float, Key, int]]) -> list[tuple[float, Key, int]]:
    """The surest first, without those that ask for more arguments than another and are hardly surer."""
    best = sorted(ways, key=lambda way: (-way[0], len(way[1]), way[1], way[2]))
    shortest = sorted(ways, key=lambda way: (len(way[1]), -way[0], way[1], way[2]))
    kept: list[tuple[float, Key, int]] = []
    for way in shortest:
        if not any(set(other[1]) <= set(way[1]) and other[0] + _WORTH >= way[0] for other in kept):
            kept.append(way)
    return [way for way in best if way in kept]


def _grouped(names: Key, facts: Iterable[Fact], wanted: set[Key | None]) -> dict[Key, list[Fact]]:
    groups: dict[Key, list[Fact]] = {}
    for fact in facts:
        key = _key(names, fact.names)
        if key is not None and key in wanted:
            groups.setdefault(key, []).append(fact)
    return groups


def _tried(field: str, names: Key, asked: Iterable[Fact], groups: Mapping[Key, Sequence[Fact]]) -> tuple[int, int]:
    """How often other conversations' value is right, and how often there is one."""
    votes: dict[tuple[Key, str | None], Counter[bytes]] = {}  # (key, conversation), and (key, None) for all of them
    for key, facts in groups.items():
        for fact in facts:
            if field in fact.forms:
                for whose in (None, fact.conversation_id):
                    votes.setdefault((key, whose), Counter())[fact.forms[field]] += 1
    right = spoken = 0
    for fact in asked:
        asking = _key(names, fact.names)
        if asking is None or (asking, None) not in votes or field not in fact.forms:
            continue
        others = votes[asking, None] - votes.get((asking, fact.conversation_id), Counter())
        if others:
            spoken += 1
            right += _commonest(others) == fact.forms[field]
    return right, spoken


def _commonest(votes: Counter[bytes]) -> bytes:
    return max(votes, key=lambda form: (votes[form], form))


def _values(field: str, names: Key, facts: Iterable[Fact]) -> dict[Key, Json]:
    votes: dict[Key, Counter[bytes]] = {}
    shown: dict[bytes, Json] = {}
    for fact in facts:
        key = _key(names, fact.names) if field in fact.forms else None
        if key is not None:
            votes.setdefault(key, Counter())[fact.forms[field]] += 1
            shown[fact.forms[field]] = fact.fields[field]
    return {key: shown[_commonest(counts)] for key, counts in votes.items()}


def _key(names: Key, given: Mapping[str, str]) -> Key | None:
    try:
        return tuple([given[name] for name in names])
    except KeyError:
        return None
