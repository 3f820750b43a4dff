"""Recorded reads in, query rules out: tools that find a record by what it holds instead of by its key."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import Records, Sites, records_in
from agent_gym.types import Json

__all__ = ["QueryRule", "Steps", "at_path", "find_query", "folded", "scalars"]

Steps = tuple[str, ...]
_DEPTH = 3
_MIN_EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class QueryRule:
    """Which fields of a table the arguments must equal, and every known record by those fields."""

    table: str
    fields: tuple[tuple[str, Steps], ...]  # (argument, path in the record)
    gives: str  # "key" or "record"
    index: Mapping[tuple[str, ...], str]  # the fields' values → the record's key
    partial: Mapping[tuple[str | None, ...], int]  # the same with one of them open → how many records

    def words(self) -> str:
        matches = " and ".join(f"{'.'.join(path)} is argument.{argument}" for argument, path in self.fields)
        return f"the {self.gives} of the {self.table} whose {matches}"

    def wanted(self, arguments: Mapping[str, Json]) -> tuple[str, ...] | None:
        """What a call asks for, in the index's form."""
        values = [arguments.get(argument) for argument, _ in self.fields]
        return None if any(isinstance(v, Mapping | list) or v is None for v in values) else tuple(map(folded, values))

    def is_near(self, wanted: tuple[str, ...]) -> bool:
        """Whether a record other than the one wanted has all that is wanted but one value."""
        known = int(wanted in self.index)
        return len(wanted) > 1 and any(self.partial.get(open_one, 0) > known for open_one in _with_one_open(wanted))

    def of(self, record: Mapping[str, Json]) -> tuple[str, ...] | None:
        """Where a record stands in the index."""
        values = [at_path(record, path) for _, path in self.fields]
        return None if any(v is None for v in values) else tuple(map(folded, values))


def find_query(
    calls: Sequence[Recorded], sites: Sites, records: Records, holders: Mapping[str, Sequence[str]]
) -> QueryRule | None:
    """The rule that the tool's successful calls follow, if its arguments say what the found record holds."""
    good = [call for call in calls if not call.is_error and call.arguments]
    if len({frozenset(call.arguments) for call in good}) != 1:
        return None
    for gives, table in _found_tables(good, sites, holders):
        found = ((call, _found_key(call, gives, table, sites)) for call in good)
        pairs = [(call, records[table, key]) for call, key in found if key is not None and (table, key) in records]
        fields = _fields(pairs) if len(pairs) >= _MIN_EXAMPLES else None
        if fields is not None:
            rule = QueryRule(table, fields, gives, {}, {})
            index = {place: key for (t, key), r in records.items() if t == table and (place := rule.of(r)) is not None}
            return replace(rule, index=index, partial=Counter(o for place in index for o in _with_one_open(place)))
    return None


def _with_one_open(place: tuple[str, ...]) -> Iterator[tuple[str | None, ...]]:
    for at in range(len(place)):
        yield (*place[:at], None, *place[at + 1 :])


def _found_tables(
    calls: Sequence[Recorded], sites: Sites, holders: Mapping[str, Sequence[str]]
) -> list[tuple[str, str]]:
    counts: dict[tuple[str, str], int] = {}
    for call in calls:
        if isinstance(call.result, str | int) and not isinstance(call.result, bool):
            for table in holders.get(str(call.result), ()):
                counts["key", table] = counts.get(("key", table), 0) + 1
        elif isinstance(call.result, Mapping) and (site := sites.get((call.name, ""))):
            counts["record", site.table] = counts.get(("record", site.table), 0) + 1
    return sorted(counts, key=lambda found: (-counts[found], found))


def _found_key(call: Recorded, gives: str, table: str, sites: Sites) -> str | None:
    if gives == "key":
        return str(call.result) if isinstance(call.result, str | int) else None
    shown = records_in(sites, call.name, call.arguments, call.result)
    return next((record.key for record in shown if record.path == "" and record.table == table), None)


def _fields(pairs: Sequence[tuple[Recorded, Mapping[str, Json]]]) -> tuple[tuple[str, Steps], ...] | None:
    """argument → where every record that was found holds its value, or None if one of them stands nowhere."""
    shared: dict[str, set[Steps]] = {}
    for call, record in pairs:
        for name, value in call.arguments.items():
            places = {path for path, held in scalars(record) if held == folded(value)}
            shared[name] = shared[name] & places if name in shared else places
    if not all(shared.values()):
        return None
    return tuple((name, min(paths, key=lambda path: (len(path), path))) for name, paths in sorted(shared.items()))


def scalars(value: Json, path: Steps = ()) -> Iterator[tuple[Steps, str]]:
    """Every scalar of a record with its path, in the form in which a search compares."""
    if isinstance(value, Mapping):
        if len(path) < _DEPTH:
            for name, inner in value.items():
                yield from scalars(inner, (*path, name))
    elif path and not isinstance(value, list) and value is not None:
        yield path, folded(value)


def at_path(record: Json, path: Steps) -> Json:
    for step in path:
        record = record.get(step) if isinstance(record, Mapping) else None
    return record


def folded(value: Json) -> str:
    """The form in which a search compares: case and outer blanks do not count."""
    return str(value).strip().lower()
