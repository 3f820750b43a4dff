"""Recorded calls in, tables out: which dicts in the results are records, and what keys them.

A *site* is a place where results hold dicts: the result itself (`""`), a nested object, an element of a
list (`items[]`), a value of a map from ids (`methods{}`). Sites whose fields agree are one table; a site's
key is a field of its own, the id that the map has for it, or the argument that asked for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.verbs import kind_by_name
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["Record", "Site", "find_sites", "records_in"]

_SAME_TABLE = 0.5  # Jaccard overlap of field sets from which two sites show one kind of record
_SHARED_BY_WRITE = 0.01  # a write's answer needs to show one field of its record
_MAX_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Site:
    """Where a tool's results hold records of a table, and what names them there."""

    table: str
    key_field: str | None  # a field of the record itself …
    key_argument: str | None  # … or the argument of the call; neither: the key of the map it stands in


@dataclass(frozen=True, slots=True)
class Record:
    """A record as one result shows it."""

    table: str
    key: str
    path: str
    fields: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class _Example:
    arguments: Mapping[str, Json]
    fields: Mapping[str, Json]
    map_key: str | None


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
            if isinstance(inner, Mapping | list):
                yield from nodes(inner, f"{path}.{name}" if path else name, None, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner, f"{path}[]", None, depth + 1)


def is_id_map(value: Mapping[str, Json]) -> bool:
    """Whether the keys are data, not field names: ids, each with a record of the same kind."""
    if not value or not all(isinstance(inner, Mapping) for inner in value.values()):
        return False
    return all(any(c.isdigit() for c in name) for name in value)


def find_sites(tools: Mapping[str, Sequence[Recorded]]) -> dict[tuple[str, str], Site]:
    """(tool, path) → Site, for every place whose dicts can be told apart by a key."""
    examples: dict[tuple[str, str], list[_Example]] = {}
    for name, calls in sorted(tools.items()):
        for call in calls:
            if not call.is_error:
                for node in nodes(call.result):
                    row = _Example(call.arguments, node.fields, node.map_key)
                    examples.setdefault((name, node.path), []).append(row)
    keyed = {}
    for place, rows in examples.items():
        key = _key(rows, place[1], writes=kind_by_name(place[0]).writes)
        if key is not None:
            keyed[place] = key
    tables = _tables({place: examples[place] for place in keyed}, keyed)
    return {place: Site(tables[place], *keyed[place]) for place in keyed}


def records_in(
    sites: Mapping[tuple[str, str], Site], tool: str, arguments: Mapping[str, Json], result: Json
) -> Iterator[Record]:
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
    if site.key_field is not None:
        value = fields.get(site.key_field)
    else:
        value = arguments.get(site.key_argument) if site.key_argument is not None else map_key
    return str(value) if _keyable(value) else None


def _key(rows: Sequence[_Example], path: str, *, writes: bool) -> tuple[str | None, str | None] | None:
    """What names the records of a site: (own field, None), (None, argument), (None, None) for a map, or None."""
    if rows[0].map_key is not None:
        own = [n for n in rows[0].fields if all(str(row.fields.get(n)) == row.map_key for row in rows)]
        return (own[0] if own else None), None
    names = [name for name in rows[0].fields if all(_keyable(row.fields.get(name)) for row in rows)]
    ranks = {name: _key_rank(name, at, rows, path, writes=writes) for at, name in enumerate(names)}
    best = max(ranks, key=lambda name: ranks[name], default=None)
    if best is not None and ranks[best] > 0:
        return best, None
    return (None, found) if path == "" and (found := _asking_argument(rows)) else None


def _asking_argument(rows: Sequence[_Example]) -> str | None:
    """The argument that names a record which does not bear its own name."""
    names = sorted(name for name, value in rows[0].arguments.items() if _keyable(value))
    shared = [name for name in names if all(_keyable(row.arguments.get(name)) for row in rows)]
    likely = [name for name in shared if _id_name(name)] or (shared if len(shared) == 1 else [])
    return likely[0] if likely and _consistent(rows, lambda row: row.arguments.get(likely[0])) else None


def _key_rank(name: str, at: int, rows: Sequence[_Example], path: str, *, writes: bool) -> float:
    """How likely a field is what names the record; 0 for one that cannot."""
    values = [row.fields[name] for row in rows]
    asked = [v == given for v, row in zip(values, rows, strict=True) for given in row.arguments.values()]
    share = sum(asked) / len(rows)
    if path == "":
        likely = _id_name(name) or (share >= 0.9 and (_is_title(name) or any(_idlike(v) for v in values)))
    else:
        # Inside a result other things' ids stand beside its own: its own comes first, or bears its list's name.
        own = at == 0 or name.lower() in ("id", "key", "uuid") or _names_its_list(name, path)
        likely = (_id_name(name) and own) or (path.endswith("[]") and _is_title(name))
    # A write shows its record in another state each time.
    agreeing = 0.5 if _id_name(name) else 0.8  # a name is a key only where it hardly ever means two things
    if not likely or not (writes or _consistent(rows, lambda row: row.fields[name], agreeing)):
        return 0.0
    distinct: float = len(set(map(str, values))) / len(rows)
    # What a write makes gets a new id, and the id comes before whatever else the call named.
    named = (1.5 if writes else 0.5) if _id_name(name) else 0.0
    return 1.0 + min(1.0, float(share)) + named + 0.4 * distinct


def _is_title(name: str) -> bool:
    return name.lower() in ("name", "title") or name.lower().endswith(("_name", "_title"))


def _names_its_list(name: str, path: str) -> bool:
    stem = path.replace("[]", "").replace("{}", "").rpartition(".")[2].lower()
    return bool(stem) and name.lower().startswith(stem.removesuffix("s"))


def _consistent(rows: Sequence[_Example], key: Callable[[_Example], Json], agreeing: float = 0.5) -> bool:
    """One key, one record: at least half of the other fields agree, though some may have been written to."""
    groups: dict[str, list[_Example]] = {}
    for row in rows:
        groups.setdefault(str(key(row)), []).append(row)
    agree = compared = 0
    for members in groups.values():
        first = members[0].fields
        for other in members[1:]:
            # What both calls asked for is an echo of the calls, and proves nothing about the record.
            asked = {str(v) for v in (*members[0].arguments.values(), *other.arguments.values())}
            shared = [name for name in first if name in other.fields and str(first[name]) not in asked]
            compared += len(shared)
            agree += sum(canonical(first[name]) == canonical(other.fields[name]) for name in shared)
    return compared == 0 or agree / compared >= agreeing


def _keyable(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _idlike(value: Json) -> bool:
    return isinstance(value, int) or any(c.isdigit() for c in str(value))


def _id_name(name: str) -> bool:
    low = name.lower()
    return (
        low in ("id", "key", "uuid", "number", "code")
        or low.endswith(("_id", "_no", "_number", "_code"))
        or (name.endswith(("Id", "ID")) and len(name) > 2)
    )


def _tables(
    examples: Mapping[tuple[str, str], Sequence[_Example]],
    keyed: Mapping[tuple[str, str], tuple[str | None, str | None]],
) -> dict[tuple[str, str], str]:
    """Sites grouped into tables: the same key name and overlapping fields."""
    groups: list[tuple[str, set[str], list[tuple[str, str]]]] = []
    # Reads first: they show what a record is, a write only what it did to one.
    for place in sorted(examples, key=lambda p: (kind_by_name(p[0]).writes, p[1] != "", -len(examples[p]), p)):
        # The key itself proves nothing: a list of somebody's bills bears their id and is not their record.
        fields = {name for row in examples[place] for name in row.fields} - {keyed[place][0]}
        key = (keyed[place][0] or keyed[place][1] or _map_name(place[1])).lower()
        if key in ("id", "key", "uuid"):
            key = _map_name(place[1]).lower() if place[1] else _asked_as(examples[place], key)
        needed = _SHARED_BY_WRITE if kind_by_name(place[0]).writes else _SAME_TABLE
        alike = sorted((g for g in groups if g[0] == key), key=lambda g: -len(g[1] & fields))
        for _, known, members in alike:
            overlap = len(known & fields) / max(1, min(len(known), len(fields)))
            if overlap >= needed:
                if needed == _SAME_TABLE:
                    known.update(fields)
                members.append(place)
                break
        else:
            groups.append((key, fields, [place]))
    taken: dict[str, int] = {}
    tables: dict[tuple[str, str], str] = {}
    for key, _, members in groups:
        stem = key.removesuffix("_id").removesuffix("id").strip("_") or members[0][0]
        taken[stem] = taken.get(stem, 0) + 1
        name = stem if taken[stem] == 1 else f"{stem}_{taken[stem]}"
        tables |= dict.fromkeys(members, name)
    return tables


def _asked_as(rows: Sequence[_Example], key: str) -> str:
    """What calls call the id that a record calls just `id`."""
    names = sorted({name for row in rows for name in row.arguments})
    same = [n for n in names if all(str(row.arguments.get(n)) == str(row.fields.get(key)) for row in rows)]
    return same[0].lower() if same else key


def _map_name(path: str) -> str:
    """`payment_methods{}` holds things that elsewhere are named by a `payment_method_id`."""
    stem = path.removesuffix("{}").removesuffix("[]").rpartition(".")[2]
    return f"{stem.removesuffix('s')}_id"
