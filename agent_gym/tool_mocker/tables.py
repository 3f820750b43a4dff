"""Where results hold records, of which table, and what tells them apart.

Places whose dicts have nearly the same fields show one table. Its key is the field that tells its records apart in
every conversation: two dicts with one key are one record, so they hardly differ otherwise. Of several such fields the
likeliest is one that calls name things by, that a tool gave and not the caller, and that comes first.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from agent_gym.text import same
from agent_gym.tool_mocker.entities import Site, keyable, nodes
from agent_gym.tool_mocker.kinds import kind_by_name, sounds_like_a_question, words_of
from agent_gym.tool_mocker.log import Recorded
from agent_gym.types import Json

__all__ = ["find_sites"]


_SAME_TABLE = 0.8  # of the smaller set of fields: two places from which on show one kind of record
_PRESENT = 0.9  # of a table's dicts have its key
_ODD = 0.02  # of the dicts with one key: a log has its odd ones
_MOST_ROWS = 300  # of a place
_ID_WORDS = frozenset({"id", "ids", "key", "uuid", "number", "no", "code", "sku"})  # a prior, no more
_BARE = frozenset({"id", "key", "uuid", "number", "code", "name"})  # names that do not say whose

Place = tuple[str, str]  # (tool, path in its results)


@dataclass(frozen=True, slots=True)
class _Row:
    """A dict as one call showed it."""

    state: tuple[str, int]  # the conversation, and how many calls before may have changed something
    arguments: Mapping[str, Json]
    fields: Mapping[str, Json]
    map_key: str | None


@dataclass(slots=True)
class _Table:
    fields: set[str]
    places: list[Place]
    rows: list[_Row] = field(default_factory=list)


def find_sites(tools: Mapping[str, Sequence[Recorded]]) -> dict[Place, Site]:
    """(tool, path) → Site, for every place whose dicts can be told apart by a key."""
    seen, named = _seen(tools)
    sites: dict[Place, Site] = {}
    taken: Counter[str] = Counter()
    for table, key in _merged(_grouped(seen), named):
        keyed = [place for place in table.places if key and all(keyable(row.fields.get(key)) for row in seen[place])]
        if key and keyed:
            name = _fresh(_table_name(key, keyed, seen), taken)
            for place in keyed:
                sites[place] = Site(name, key, None, *_fields_of(seen[place]))
        for place in table.places:
            if place in sites:
                continue
            rows = seen[place]
            if rows[0].map_key is not None:
                sites[place] = Site(_fresh(_stem(_named_after(place[1])), taken), None, None, *_fields_of(rows))
            elif place[1] == "" and (asking := _asking_argument(rows)) is not None:
                sites[place] = Site(_fresh(_stem(asking), taken), None, asking, *_fields_of(rows))
    for place, rows in seen.items():
        if place not in sites and place[1] == "" and (parts := _parts_of(rows, sites)) is not None:
            sites[place] = parts
    return sites


def _seen(tools: Mapping[str, Sequence[Recorded]]) -> tuple[dict[Place, list[_Row]], Counter[str]]:
    """The dicts at each place, and what calls name things by."""
    seen: dict[Place, list[_Row]] = {}
    named: Counter[str] = Counter()
    changing: dict[str, list[int]] = {}  # conversation → where a call stands that may have changed something
    for name, calls in tools.items():
        for call in calls if not sounds_like_a_question(name) else ():
            changing.setdefault(call.conversation_id, []).append(call.at)
    for places in changing.values():
        places.sort()
    for name, calls in sorted(tools.items()):
        for call in calls:
            named.update(str(value) for value in call.arguments.values() if keyable(value))
            for node in () if call.is_error else nodes(call.result):
                rows = seen.setdefault((name, node.path), [])
                if len(rows) < _MOST_ROWS:
                    state = (call.conversation_id, bisect_right(changing.get(call.conversation_id, ()), call.at))
                    rows.append(_Row(state, call.arguments, node.fields, node.map_key))
    return seen, named


def _parts_of(rows: Sequence[_Row], sites: Mapping[Place, Site]) -> Site | None:
    """Some fields of a record whose key an argument gives under its own name."""
    fields = _fields(rows)
    for site in sites.values():
        key = site.key_field
        if key is not None and fields <= site.fields and all(keyable(row.arguments.get(key)) for row in rows):
            return Site(site.table, None, key, *_fields_of(rows))
    return None


def _fields(rows: Sequence[_Row]) -> frozenset[str]:
    return frozenset(name for row in rows for name in row.fields)


def _fields_of(rows: Sequence[_Row]) -> tuple[frozenset[str], frozenset[str]]:
    """What the dicts show, and what all of them do."""
    return _fields(rows), frozenset.intersection(*(frozenset(row.fields) for row in rows))


def _grouped(seen: Mapping[Place, Sequence[_Row]]) -> list[_Table]:
    tables: list[_Table] = []
    for place in sorted(seen, key=lambda place: (-len(_fields(seen[place])), place)):
        fields, always = _fields_of(seen[place])
        alike = [(len(table.fields & always) / max(1, len(always)), table) for table in tables]
        share, table = max(alike, key=lambda one: one[0], default=(0.0, None))
        if table is None or share < _SAME_TABLE or seen[place][0].map_key is not None or len(always) < 2:
            tables.append(_Table(set(fields), [place], list(seen[place])))
        else:
            table.fields |= fields
            table.places.append(place)
            table.rows.extend(seen[place])
    return tables


def _merged(tables: Sequence[_Table], named: Mapping[str, int]) -> list[tuple[_Table, str | None]]:
    """The tables with their keys; two with the same one and half of their fields are the same."""
    found: list[tuple[_Table, str | None]] = []
    # Reads first: they show what a record is, a write only what it did to one.
    for table in sorted(tables, key=lambda table: all(kind_by_name(tool).writes for tool, _ in table.places)):
        outer = any(path == "" or path.endswith(("[]", "{}")) for _, path in table.places)
        lists = None if any(path in ("", "[]") for _, path in table.places) else [path for _, path in table.places]
        key = _key(table.rows, named, outer=outer, lists=lists)
        twin = next(
            (other for other, known in found if key is not None and known == key and _overlap(other, table, key)), None
        )
        if twin is None:
            found.append((table, key))
        else:
            twin.places.extend(table.places)
            twin.rows.extend(table.rows)
    return found


def _overlap(left: _Table, right: _Table, key: str) -> bool:
    """Whether they share half of their fields; what a write answers needs to share one, beside the key."""
    shared = (left.fields & right.fields) - {key}
    if all(kind_by_name(tool).writes for tool, _ in right.places):
        return bool(shared)
    return 2 * len(shared) >= min(len(left.fields), len(right.fields)) - 1


def _key(rows: Sequence[_Row], named: Mapping[str, int], *, outer: bool, lists: Sequence[str] | None) -> str | None:
    """The field that tells the records apart, the likeliest of those that do; inside another record, only an id."""
    names: dict[str, int] = {}
    for row in rows:
        for at, name in enumerate(row.fields):
            names.setdefault(name, at)
    best: tuple[tuple[float, ...], str] | None = None
    for name, at in names.items():
        values = [row.fields.get(name) for row in rows]
        if lists is not None and at and not _is_own(name, lists):
            continue  # inside a result other things' ids stand beside its own
        texts = [str(value) for value in values if keyable(value)]
        if len(texts) < _PRESENT * len(rows) or any(len(text) > 80 for text in texts):
            continue
        is_id = _names_an_id(name)
        asked = sum(text in named for text in set(texts)) / len(set(texts))
        if not (is_id or (outer and asked >= 0.5)) or _clashes(name, rows) > _ODD:
            continue
        distinct = len(set(texts)) / len(texts)
        # Of two ids in a record its own comes first; a mere name is a key only where nothing else is.
        alone = round(1 - _clashes(name, rows, everywhere=True), 1)
        quality = (is_id, at == 0 if is_id else False, alone, round(asked, 1) + round(distinct, 1), -at)
        if best is None or quality > best[0]:
            best = (quality, name)
    return best[1] if best is not None else None


def _is_own(name: str, lists: Sequence[str]) -> bool:
    """Whether a key bears no name of its own, or that of the list that it stands in."""
    stems = [path.replace("[]", "").replace("{}", "").rpartition(".")[2].lower() for path in lists]
    return name.lower().strip("_") in _BARE or any(
        stem and name.lower().startswith(stem.removesuffix("s")) for stem in stems
    )


@lru_cache(maxsize=4096)
def _names_an_id(name: str) -> bool:
    words = words_of(name)
    return bool(words) and words[-1] in _ID_WORDS


def _clashes(name: str, rows: Sequence[_Row], *, everywhere: bool = False) -> float:
    """How many dicts with the same value differ in most of their other fields: in one state, or anywhere."""
    first: dict[tuple[tuple[str, int] | None, str], _Row] = {}
    clashes = compared = 0
    for row in rows:
        value = row.fields.get(name)
        if not keyable(value):
            continue
        other = first.setdefault((None if everywhere else row.state, str(value)), row)
        if other is row:
            continue
        # What both calls asked for is an echo of the calls, and proves nothing about the record.
        asked = {str(v) for v in (*row.arguments.values(), *other.arguments.values())}
        shared = [n for n in row.fields if n != name and n in other.fields and str(row.fields[n]) not in asked]
        if shared:
            compared += 1
            differ = [n for n in shared if not same(row.fields[n], other.fields[n])]
            ids = {n for n in shared if _names_an_id(n)}
            # A record that was written to differs much too, but belongs to the same things as before.
            belongs_elsewhere = not ids or 2 * len(ids.intersection(differ)) > len(ids)
            clashes += 2 * len(differ) > len(shared) and belongs_elsewhere
    return clashes / max(1, compared)


def _table_name(key: str, places: Sequence[Place], seen: Mapping[Place, Sequence[_Row]]) -> str:
    """What the key says it is of; where it does not say, the argument or the list that it goes with."""
    if key.lower().strip("_") not in _BARE:
        return _stem(key)
    for place in places:
        if place[1]:
            return _stem(_named_after(place[1]))
    rows = [row for place in places for row in seen[place]]
    for name in sorted({name for row in rows for name in row.arguments}):
        if all(str(row.arguments.get(name)) == str(row.fields.get(key)) for row in rows):
            return _stem(name)
    return _stem(key)


def _stem(name: str) -> str:
    lower = name.lower()
    for ending in ("_id", "_number", "_code", "id"):
        if lower.endswith(ending) and len(lower) > len(ending):
            return lower.removesuffix(ending).strip("_") or lower
    return lower.strip("_")


def _fresh(name: str, taken: Counter[str]) -> str:
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}_{taken[name]}"


def _named_after(path: str) -> str:
    """`payment_methods{}` holds things that elsewhere are named by a `payment_method_id`."""
    stem = path.replace("{}", "").replace("[]", "").rpartition(".")[2]
    return f"{stem.removesuffix('s')}_id" if stem else "row_id"


def _asking_argument(rows: Sequence[_Row]) -> str | None:
    """The argument that names a record which does not bear its own name."""
    if any(len(row.arguments) != 1 for row in rows):
        return None  # what else the call says may matter as much
    asking = next(iter(rows[0].arguments))
    if not all(keyable(row.arguments.get(asking)) for row in rows):
        return None
    first: dict[str, _Row] = {}
    agree = compared = 0
    for row in rows:
        other = first.setdefault(str(row.arguments[asking]), row)
        shown = [n for n in row.fields if other is not row and n in other.fields]
        compared += len(shown)
        agree += sum(same(row.fields[n], other.fields[n]) for n in shown)
    return asking if 2 * agree >= compared else None
