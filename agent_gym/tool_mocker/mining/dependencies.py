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
_MOST_VOTES = 40  # facts with the same arguments: more hardly change the commonest
_MOST_NAMES = 5  # arguments of which every set is tried
_SETTLED = 0.99
_MIN_RIGHT = 2
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
    fields: Iterable[str], asked: Sequence[Fact], pools: Sequence[Sequence[Fact]], arguments: Sequence[str]
) -> dict[str, Dependency]:
    """The ways to know each field of the answers `asked` from each of the pools, which may hold them too."""
    asked = asked[:_MOST_ASKED]
    tries: dict[str, list[_Try]] = {field: [] for field in fields}
    told = [field for field in tries if any(field in fact.forms for fact in asked)]
    for at, facts in enumerate(pools):
        for names in _sets(arguments[:_MOST_NAMES]):
            open_fields = [field for field in told if not _settled(tries[field], names, len(asked))]
            groups = _grouped(names, facts, {_key(names, fact.names) for fact in asked}) if open_fields else {}
            for field in open_fields:
                tries[field].append(_Try(names, at, _tried(field, names, asked, groups)))
    return {
        field: Dependency(
            tuple(Way(way.names, right, _values(field, way.names, pools[way.pool])) for right, way in _best(found))
        )
        for field, found in tries.items()
    }


def _settled(tries: Sequence["_Try"], names: Key, asked: int) -> bool:
    """Whether fewer arguments know the field already, nearly always and for most calls."""
    return any(
        2 * len(way.right) > asked
        and sum(way.right.values()) >= _SETTLED * len(way.right)
        and set(way.names) <= set(names)
        for way in tries
    )


class _Try(NamedTuple):
    names: Key
    pool: int
    right: Mapping[int, bool]  # which of the asked it speaks for, and whether it is right there


def _sets(names: Sequence[str]) -> Iterator[Key]:
    for size in range(len(names) + 1):
        yield from itertools.combinations(names, size)


def _best(tries: Sequence[_Try]) -> list[tuple[float, _Try]]:
    """The surest way first, then the surest where that one is silent, and so on."""
    found: list[tuple[float, _Try]] = []
    silent = {at for way in tries for at in way.right}
    left = sorted(tries, key=lambda way: (len(way.names), way.names, way.pool))
    while left:
        rights = [[right for at, right in way.right.items() if at in silent] for way in left]
        shares = [sum(right) / (len(right) + _DOUBT) if sum(right) >= _MIN_RIGHT else 0.0 for right in rights]
        share = max(shares)
        if not share:
            return found
        best = left[shares.index(share)]
        found.append((share, best))
        silent -= best.right.keys()
        left = [way for way in left if way is not best]
    return found


def _grouped(names: Key, facts: Iterable[Fact], wanted: set[Key | None]) -> dict[Key, list[Fact]]:
    groups: dict[Key, list[Fact]] = {}
    for fact in facts:
        key = _key(names, fact.names)
        if key is not None and key in wanted:
            group = groups.setdefault(key, [])
            if len(group) < _MOST_VOTES:
                group.append(fact)
    return groups


def _tried(field: str, names: Key, asked: Sequence[Fact], groups: Mapping[Key, Sequence[Fact]]) -> dict[int, bool]:
    """Where other conversations have a value, and whether it is right."""
    votes: dict[tuple[Key, str | None], Counter[bytes]] = {}  # (key, conversation), and (key, None) for all of them
    for key, facts in groups.items():
        for fact in facts:
            if field in fact.forms:
                for whose in (None, fact.conversation_id):
                    votes.setdefault((key, whose), Counter())[fact.forms[field]] += 1
    right = {}
    for at, fact in enumerate(asked):
        asking = _key(names, fact.names)
        if asking is None or (asking, None) not in votes or field not in fact.forms:
            continue
        others = votes[asking, None] - votes.get((asking, fact.conversation_id), Counter())
        if others:
            right[at] = _commonest(others) == fact.forms[field]
    return right


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
