"""Entities: the records that results show, what names them, and what a call is about.

A *site* is a place where a tool's results hold records: the result itself (`""`), a nested object (`owner`), an
element of a list (`items[]`), a value of a map from ids (`methods{}`). `tables` finds them. Reads are views of
entities: what a write does to one, every site that shows it shows.
"""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.log import LEAVES, Recorded, fingerprint, linking_values
from agent_gym.types import Json

__all__ = [
    "Find",
    "Node",
    "Owned",
    "Record",
    "Records",
    "Sightings",
    "Site",
    "Sites",
    "Subject",
    "find_subjects",
    "holders_of",
    "inner_path",
    "is_id_map",
    "key_of",
    "keyable",
    "matching",
    "nodes",
    "records_at_start",
    "records_in",
    "with_written_fields",
]


_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Site:
    """Where a tool's results hold records of a table, and what names them there."""

    table: str
    key_field: str | None  # a field of the record itself …
    key_argument: str | None  # … or the argument of the call; neither: the key of the map it stands in
    fields: frozenset[str] = frozenset()  # what is shown of a record there
    always: frozenset[str] = frozenset()  # and what of that is never left out


@dataclass(frozen=True, slots=True)
class Record:
    """A record as one result shows it."""

    table: str
    key: str
    path: str
    fields: Mapping[str, Json]

    @property
    def name(self) -> tuple[str, str]:
        """What the tables know it by."""
        return self.table, self.key


Sites: TypeAlias = Mapping[tuple[str, str], Site]  # (tool, path in its results) → what stands there
Records: TypeAlias = Mapping[tuple[str, str], Mapping[str, Json]]  # (table, key) → fields


def with_written_fields(sites: Sites, writing: Container[str]) -> Sites:
    """A write that answers with a whole record shows what such a record may hold: so may a read of the whole of it."""
    found = dict(sites)
    for place, site in sites.items():
        of_table = [(tool, path, other) for (tool, path), other in sites.items() if other.table == site.table]
        is_whole = all(other.fields <= site.fields for tool, _, other in of_table if tool not in writing)
        if place[1] == "" and place[0] not in writing and is_whole:
            written = (
                other.fields
                for tool, path, other in of_table
                if path == "" and tool in writing and other.always >= site.always
            )
            found[place] = replace(site, fields=site.fields.union(*written))
    return found


def records_in(sites: Sites, tool: str, arguments: Mapping[str, Json], result: Json) -> Iterator[Record]:
    """The records a result shows."""
    for node in nodes(result):
        site = sites.get((tool, node.path))
        if site is not None:
            key = key_of(site, arguments, node.fields, node.map_key)
            if key is not None:
                yield Record(site.table, key, node.path, node.fields)


def key_of(
    site: Site, arguments: Mapping[str, Json], fields: Mapping[str, Json], map_key: str | None = None
) -> str | None:
    """What names the dict that stands at a site; None if nothing there can."""
    if site.key_field is not None:
        value = fields.get(site.key_field)
    else:
        value = arguments.get(site.key_argument) if site.key_argument is not None else map_key
    return str(value) if keyable(value) else None


def keyable(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


class Node(NamedTuple):
    """A dict in a result: where it stands, and under which id if it stands in a map."""

    path: str
    fields: Mapping[str, Json]
    map_key: str | None = None


def nodes(value: Json, path: str = "", map_key: str | None = None, depth: int = 0) -> Iterator[Node]:
    """Every dict in a result with its place; elements of a list share one, and so do values of a map from ids."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        if is_id_map(value):
            for name, inner in value.items():
                yield from nodes(inner, f"{path}{{}}", name, depth + 1)
            return
        yield Node(path, value, map_key)
        for name, inner in value.items():
            if type(inner) not in LEAVES and isinstance(inner, Mapping | list):
                yield from nodes(inner, inner_path(path, name), None, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner, f"{path}[]", None, depth + 1)


def inner_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def is_id_map(value: Mapping[str, Json]) -> bool:
    """Whether the keys are data, not field names: ids, each with a record of the same kind."""
    for inner in value.values():
        if type(inner) in LEAVES or not isinstance(inner, Mapping):
            return False
    return bool(value) and all(any(c.isdigit() for c in name) for name in value)


def records_at_start(calls: Sequence[Recorded], sites: Sites, writing: Container[str]) -> Records:
    """The records that one conversation shows, as they were before its own writes."""
    start: dict[tuple[str, str], Mapping[str, Json]] = {}
    touched: set[tuple[str, str]] = set()
    named: set[str] = set()  # what writes have named or shown, and no answer before them
    seen: set[str] = set()
    written: set[str] = set()  # what writes have named or shown: fields that it has from then on, they may have added
    for call in calls:
        if call.is_error:
            continue
        writes = call.name in writing
        for record in records_in(sites, call.name, call.arguments, call.result):
            if writes:
                touched.add(record.name)
            elif record.name not in touched and record.key not in named:
                known = start.get(record.name)
                if known is None:
                    start[record.name] = record.fields
                elif record.key not in written:
                    start[record.name] = _completed(known, record.fields)
        values = linking_values(call.result)
        if writes:
            written |= values | linking_values(call.arguments)
            named |= written - seen
        seen |= values
    return start


def _completed(known: Mapping[str, Json], fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """What is known with what else is shown; what was shown first stays. A copy only where there is more."""
    more = {name: value for name, value in fields.items() if name not in known}
    return {**known, **more} if more else known


@dataclass(slots=True)
class _Version:
    """One state in which conversations found a record: how many did, and which was the last."""

    fields: Mapping[str, Json]
    times: int
    last: int


class Sightings:
    """The records that conversations found, in every state in which they did; each state is kept once."""

    def __init__(self) -> None:
        self.origins: dict[tuple[str, str], str] = {}  # record → the first conversation that shows it
        self.several: set[tuple[str, str]] = set()  # records that more than one shows
        self._versions: dict[tuple[str, str], dict[bytes, _Version]] = {}
        self._conversations = 0

    def add(self, conversation_id: str, start: Records) -> None:
        self._conversations += 1
        for place, fields in start.items():
            versions = self._versions.get(place)
            if versions is None:
                versions = self._versions[place] = {}
                self.origins[place] = conversation_id
            else:
                self.several.add(place)
            version = versions.setdefault(fingerprint(fields), _Version(fields, 0, 0))
            version.times += 1
            version.last = self._conversations

    def elsewhere(self, record: tuple[str, str], conversation_id: str) -> bool:
        """Whether another conversation shows the record as it was before anybody wrote."""
        return record in self.several or self.origins.get(record, conversation_id) != conversation_id

    def records(self) -> dict[tuple[str, str], Mapping[str, Json]]:
        """(table, key) → fields; where conversations differ, field by field the commonest value."""
        return {place: _voted(versions.values()) for place, versions in sorted(self._versions.items())}


def _voted(versions: Collection[_Version]) -> Mapping[str, Json]:
    if len(versions) == 1:
        return next(iter(versions)).fields
    names = dict.fromkeys(name for version in versions for name in version.fields)
    return {name: _vote(name, [version for version in versions if name in version.fields]) for name in names}


def _vote(name: str, versions: Sequence[_Version]) -> Json:
    if len(versions) == 1:
        return versions[0].fields[name]
    forms = [canonical(version.fields[name]) for version in versions]
    counts: Counter[bytes] = Counter()
    for form, version in zip(forms, versions, strict=True):
        counts[form] += version.times
    best = max(counts.values())
    # Among equals the latest: a record that changed between two conversations is now as the second saw it.
    equal = [version for form, version in zip(forms, versions, strict=True) if counts[form] == best]
    return max(equal, key=lambda version: version.last).fields[name]


def holders_of(records: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """key → the tables that hold a record of that name."""
    holders: dict[str, tuple[str, ...]] = {}
    sets: dict[tuple[str, ...], tuple[str, ...]] = {}  # few tables, many keys
    for table, key in records:
        tables = (*holders.get(key, ()), table)
        holders[key] = sets.setdefault(tables, tables)
    return holders


_SHOWN = 3  # a record that the answer shows weighs as much as so many that are only named

Find: TypeAlias = Callable[[str, Mapping[str, Json]], str | None]  # (table, fields) → the key of the record with these


@dataclass(frozen=True, slots=True)
class Subject:
    """How a call names what it is about: by the key itself, or by the values of some fields."""

    table: str
    argument: str  # the one that gives the key, or the last of those that give fields
    fields: tuple[tuple[str, str], ...] = ()  # (argument, field); none: the argument gives the key

    def of(self, arguments: Mapping[str, Json], find: Find) -> tuple[str, str] | None:
        """(table, key) of what a call with these arguments is about; None where no record has such fields."""
        if not self.fields:
            return self.table, str(arguments.get(self.argument))
        if any(argument not in arguments for argument, _ in self.fields):
            return None
        key = find(self.table, {field: arguments[argument] for argument, field in self.fields})
        return (self.table, key) if key is not None else None

    def words(self) -> str:
        if not self.fields:
            return f"{self.table}[argument.{self.argument}]"
        return f"{self.table} with " + " and ".join(f"{field} = argument.{name}" for name, field in self.fields)


class Owned(NamedTuple):
    """An argument whose value stands in the record that another argument names."""

    argument: str
    table: str
    owner: str


def matching(records: Iterable[tuple[str, Mapping[str, Json]]], fields: Mapping[str, Json]) -> str | None:
    """The key of the first record that has these very fields."""
    for key, record in records:
        if all(name in record and same(record[name], value) for name, value in fields.items()):
            return key
    return None


def find_subjects(
    conversations: Sequence[Sequence[Recorded]],
    tools: Mapping[str, Sequence[Recorded]],
    sites: Sites,
    holders: Mapping[str, Sequence[str]],
    reading: Container[str] = (),
) -> dict[str, Subject]:
    """tool → what its calls are about: the record it returns if an argument names it, else the likeliest.

    `holders`: key → the tables that hold a record of that name; `reading`: the tools that change nothing. What only
    the answers of writes show is no thing of its own, but what they say of one.
    """
    lasting = {site.table for (tool, _), site in sites.items() if tool in reading}
    by_fields = _by_fields(conversations, sites)
    subjects: dict[str, Subject] = {}
    for name, calls in sorted(tools.items()):
        if name in by_fields:
            subjects[name] = by_fields[name]
            continue
        votes = _votes(calls, sites, holders)
        if votes:
            first = {argument: at for call in calls[-1:] for at, argument in enumerate(call.arguments)}
            best = max(sorted(votes), key=lambda s: (s[0] in lasting, votes[s], -first.get(s[1], 99)))
            if 4 * votes[best] >= len(calls):
                subjects[name] = Subject(*best)
                continue
        site = sites.get((name, ""))
        if site is not None and site.key_argument is not None:
            subjects[name] = Subject(site.table, site.key_argument)
    return subjects


def _votes(calls: Sequence[Recorded], sites: Sites, holders: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], int]:
    votes: dict[tuple[str, str], int] = {}
    for call in calls:
        shown = {r.name for r in records_in(sites, call.name, call.arguments, call.result) if r.path == ""}
        for argument, value in call.arguments.items():
            if isinstance(value, str | int) and not isinstance(value, bool) and linking_values(value):
                named = {table for table, key in shown if key == str(value)}
                for table in sorted(named.union(holders.get(str(value), ()))):
                    place = (table, argument)
                    votes[place] = votes.get(place, 0) + (_SHOWN if (table, str(value)) in shown else 1)
    return votes


def _by_fields(conversations: Sequence[Sequence[Recorded]], sites: Sites) -> dict[str, Subject]:
    """Tools that answer with a record which was known before, but whose key no argument gives."""
    pairs: dict[str, set[tuple[str, str]]] = {}
    tables: dict[str, str] = {}
    known_before: dict[str, list[int]] = {}
    everything: dict[str, dict[tuple[int, str], Mapping[str, Json]]] = {}
    for at, calls in enumerate(conversations):
        seen: dict[tuple[str, str], Mapping[str, Json]] = {}
        for call in calls:
            if call.is_error:
                continue
            shown = list(records_in(sites, call.name, call.arguments, call.result))
            top = next((record for record in shown if record.path == ""), None)
            given = {name: value for name, value in call.arguments.items() if keyable(value)}
            if top is not None and given and top.key not in map(str, given.values()):
                before = seen.get(top.name)
                tally = known_before.setdefault(call.name, [0, 0])
                tally[1] += 1
                if before is not None:
                    tally[0] += 1
                    same_as = {(n, f) for n, v in given.items() for f, known in before.items() if same(v, known)}
                    pairs[call.name] = pairs.get(call.name, same_as) & same_as
                    tables[call.name] = top.table
            for record in shown:
                seen[record.name] = {**seen.get(record.name, {}), **record.fields}
        for (table, key), fields in seen.items():
            everything.setdefault(table, {})[at, key] = fields
    found: dict[str, Subject] = {}
    for name, some in sorted(pairs.items()):
        known, all_calls = known_before[name]
        chosen = _identifying(some, everything[tables[name]])
        if chosen and 2 * known > all_calls:
            found[name] = Subject(tables[name], chosen[-1][0], chosen)
    return found


def _identifying(
    pairs: set[tuple[str, str]], records: Mapping[tuple[int, str], Mapping[str, Json]]
) -> tuple[tuple[str, str], ...]:
    """One field an argument, if these together tell the records of a conversation apart."""
    chosen: dict[str, str] = {}
    for argument, field in sorted(pairs, key=lambda pair: (pair[1] not in pair[0], pair)):
        if argument not in chosen and field not in chosen.values():
            chosen[argument] = field
    seen: dict[tuple[int, bytes], str] = {}
    for (conversation, key), record in records.items():
        if all(field in record for field in chosen.values()):
            values = canonical([record[field] for field in chosen.values()])
            if seen.setdefault((conversation, values), key) != key:
                return ()
    return tuple(sorted(chosen.items())) if chosen and seen else ()
