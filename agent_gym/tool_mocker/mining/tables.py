"""Recorded calls in, sites out: where results hold records, of which table, and what keys them.

Places whose dicts have the same kind of key and whose fields agree show one table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.keys import BARE_KEYS, Key, Sighting, find_key
from agent_gym.tool_mocker.mining.verbs import kind_by_name
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import Site, nodes

__all__ = ["find_sites"]

_SAME_TABLE = 0.5  # overlap of field sets from which two sites show one kind of record
_SHARED_BY_WRITE = 0.01  # a write's answer needs to show one field of its record

Place = tuple[str, str]  # (tool, path in its results)


def find_sites(tools: Mapping[str, Sequence[Recorded]]) -> dict[Place, Site]:
    """(tool, path) → Site, for every place whose dicts can be told apart by a key."""
    seen: dict[Place, list[Sighting]] = {}
    for name, calls in sorted(tools.items()):
        for call in calls:
            if not call.is_error:
                for node in nodes(call.result):
                    sighting = Sighting(call.arguments, node.fields, node.map_key)
                    seen.setdefault((name, node.path), []).append(sighting)
    keys = {}
    for place, rows in seen.items():
        key = find_key(rows, place[1], writes=kind_by_name(place[0]).writes)
        if key is not None:
            keys[place] = key
    names = _table_names(_grouped(seen, keys))
    return {place: Site(names[place], *key) for place, key in keys.items()}


@dataclass(slots=True)
class _Table:
    key: str
    fields: set[str]
    places: list[Place]


def _grouped(seen: Mapping[Place, Sequence[Sighting]], keys: Mapping[Place, Key]) -> list[_Table]:
    """The places that have a key, by table: the same name of the key and overlapping fields."""
    tables: list[_Table] = []
    # Reads first: they show what a record is, a write only what it did to one.
    for place in sorted(keys, key=lambda p: (kind_by_name(p[0]).writes, p[1] != "", -len(seen[p]), p)):
        # The key itself proves nothing: a list of somebody's bills bears their id and is not their record.
        fields = {name for row in seen[place] for name in row.fields} - {keys[place].field}
        key = _key_name(place, seen[place], keys[place])
        writes = kind_by_name(place[0]).writes
        known = _overlapping(tables, key, fields, _SHARED_BY_WRITE if writes else _SAME_TABLE)
        if known is None:
            tables.append(_Table(key, fields, [place]))
            continue
        known.places.append(place)
        if not writes:
            known.fields.update(fields)
    return tables


def _key_name(place: Place, rows: Sequence[Sighting], key: Key) -> str:
    """The name by which tables are told apart: of the key, or of the map or list where the key has none of its own."""
    _, path = place
    name = (key.field or key.argument or _named_after(path)).lower()
    if name not in BARE_KEYS:
        return name
    return _named_after(path).lower() if path else _asked_as(rows, name)


def _named_after(path: str) -> str:
    """`payment_methods{}` holds things that elsewhere are named by a `payment_method_id`."""
    stem = path.removesuffix("{}").removesuffix("[]").rpartition(".")[2]
    return f"{stem.removesuffix('s')}_id"


def _asked_as(rows: Sequence[Sighting], key: str) -> str:
    """What calls call the id that a record calls just `id`."""
    names = sorted({name for row in rows for name in row.arguments})
    same = [n for n in names if all(str(row.arguments.get(n)) == str(row.fields.get(key)) for row in rows)]
    return same[0].lower() if same else key


def _overlapping(tables: Sequence[_Table], key: str, fields: set[str], needed: float) -> _Table | None:
    alike = sorted((t for t in tables if t.key == key), key=lambda table: -len(table.fields & fields))
    for table in alike:
        if len(table.fields & fields) / max(1, min(len(table.fields), len(fields))) >= needed:
            return table
    return None


def _table_names(tables: Sequence[_Table]) -> dict[Place, str]:
    """place → its table, which is called what its key names; a second one of that name is numbered."""
    taken: dict[str, int] = {}
    names: dict[Place, str] = {}
    for table in tables:
        stem = table.key.removesuffix("_id").removesuffix("id").strip("_") or table.places[0][0]
        taken[stem] = taken.get(stem, 0) + 1
        names |= dict.fromkeys(table.places, stem if taken[stem] == 1 else f"{stem}_{taken[stem]}")
    return names
