"""Facts in, dependencies out: what a field is where some of the arguments are the same.

A field may follow from a few of the arguments only. Each set of arguments is a way to know the field; how
often a way is right is counted on conversations other than those it is known from.
"""

import itertools
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
            keys = [_key(names, fact.names) for fact in asked] if open_fields else []
            groups = _grouped(names, facts, set(keys)) if open_fields else {}
            for field in open_fields:
                tries[field].append(_Try(names, at, _tried(field, asked, keys, groups)))
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


class _Group(NamedTuple):
    """Facts that give the arguments the same values: all of them, and each conversation's own."""

    facts: list[Fact]
    of: dict[str, list[Fact]]


def _grouped(names: Key, facts: Iterable[Fact], wanted: set[Key | None]) -> dict[Key | None, _Group]:
    groups: dict[Key | None, _Group] = {}
    for fact in facts:
        key = _key(names, fact.names)
        if key is not None and key in wanted:
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group([], {})
            if len(group.facts) < _MOST_VOTES:
                group.facts.append(fact)
                group.of.setdefault(fact.conversation_id, []).append(fact)
    return groups


def _tried(
    field: str, asked: Sequence[Fact], keys: Sequence[Key | None], groups: Mapping[Key | None, _Group]
) -> dict[int, bool]:
    """Where other conversations have a value, and whether it is right."""
    totals = {key: _votes(field, group.facts) for key, group in groups.items()}
    right = {}
    for at, (key, fact) in enumerate(zip(keys, asked, strict=True)):
        form, group = fact.forms.get(field), groups.get(key)
        if form is None or group is None:
            continue
        others = totals[key]
        if own := group.of.get(fact.conversation_id):
            others = _without(others, _votes(field, own))
        if others:
            right[at] = _commonest(others) == form
    return right


Votes = Mapping[bytes, int]  # how many facts have each form of a field


def _votes(field: str, facts: Iterable[Fact]) -> Votes:
    votes: dict[bytes, int] = {}
    for fact in facts:
        form = fact.forms.get(field)
        if form is not None:
            votes[form] = votes.get(form, 0) + 1
    return votes


def _without(votes: Votes, own: Votes) -> Votes:
    left = dict(votes)
    for form, times in own.items():
        if left[form] > times:
            left[form] -= times
        else:
            del left[form]
    return left


def _commonest(votes: Votes) -> bytes:
    return max((times, form) for form, times in votes.items())[1]


def _values(field: str, names: Key, facts: Iterable[Fact]) -> dict[Key, Json]:
    votes: dict[Key, dict[bytes, int]] = {}
    shown: dict[bytes, Json] = {}
    for fact in facts:
        form = fact.forms.get(field)
        key = _key(names, fact.names) if form is not None else None
        if form is not None and key is not None:
            counts = votes.setdefault(key, {})
            counts[form] = counts.get(form, 0) + 1
            shown[form] = fact.fields[field]
    return {key: shown[_commonest(counts)] for key, counts in votes.items()}


def _key(names: Key, given: Mapping[str, str]) -> Key | None:
    try:
        return tuple([given[name] for name in names])
    except KeyError:
        return None
