"""The dicts of one site in, what names them out: a field of their own, the argument that asked, or a map's ids."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.sites import keyable
from agent_gym.types import Json

__all__ = ["BARE_KEYS", "Key", "Sighting", "find_key"]

BARE_KEYS = ("id", "key", "uuid")  # names of a key that do not say whose


@dataclass(frozen=True, slots=True)
class Sighting:
    """A dict as one call showed it."""

    arguments: Mapping[str, Json]
    fields: Mapping[str, Json]
    map_key: str | None


class Key(NamedTuple):
    """What names the records of a site; neither: the ids of the map they stand in."""

    field: str | None
    argument: str | None


def find_key(rows: Sequence[Sighting], path: str, *, writes: bool) -> Key | None:
    """What tells the dicts at `path` apart, or None where nothing does."""
    if rows[0].map_key is not None:
        own = [n for n in rows[0].fields if all(str(row.fields.get(n)) == row.map_key for row in rows)]
        return Key(own[0] if own else None, None)
    names = [name for name in rows[0].fields if all(keyable(row.fields.get(name)) for row in rows)]
    ranks = {name: _rank(name, at, rows, path, writes=writes) for at, name in enumerate(names)}
    best = max(ranks, key=lambda name: ranks[name], default=None)
    if best is not None and ranks[best] > 0:
        return Key(best, None)
    asking = _asking_argument(rows) if path == "" else None
    return Key(None, asking) if asking else None


def _rank(name: str, at: int, rows: Sequence[Sighting], path: str, *, writes: bool) -> float:
    """How likely a field, the `at`-th of its dict, is what names the record; 0 for one that cannot."""
    values = [row.fields[name] for row in rows]
    asked = sum(v == given for v, row in zip(values, rows, strict=True) for given in row.arguments.values())
    share = asked / len(rows)
    if path == "":
        likely = _is_id_name(name) or (share >= 0.9 and (_is_title(name) or any(_idlike(v) for v in values)))
    else:
        # Inside a result other things' ids stand beside its own: its own comes first, or bears its list's name.
        own = at == 0 or name.lower() in BARE_KEYS or _names_its_list(name, path)
        likely = (_is_id_name(name) and own) or (path.endswith("[]") and _is_title(name))
    agreeing = 0.5 if _is_id_name(name) else 0.8  # a name is a key only where it hardly ever means two things
    # A write shows its record in another state each time.
    if not likely or not (writes or _consistent(rows, lambda row: row.fields[name], agreeing)):
        return 0.0
    distinct: float = len(set(map(str, values))) / len(rows)
    # What a write makes gets a new id, and the id comes before whatever else the call named.
    named = (1.5 if writes else 0.5) if _is_id_name(name) else 0.0
    return 1.0 + min(1.0, float(share)) + named + 0.4 * distinct


def _is_id_name(name: str) -> bool:
    low = name.lower()
    return (
        low in (*BARE_KEYS, "number", "code")
        or low.endswith(("_id", "_no", "_number", "_code"))
        or (name.endswith(("Id", "ID")) and len(name) > 2)
    )


def _is_title(name: str) -> bool:
    return name.lower() in ("name", "title") or name.lower().endswith(("_name", "_title"))


def _idlike(value: Json) -> bool:
    return isinstance(value, int) or any(c.isdigit() for c in str(value))


def _names_its_list(name: str, path: str) -> bool:
    stem = path.replace("[]", "").replace("{}", "").rpartition(".")[2].lower()
    return bool(stem) and name.lower().startswith(stem.removesuffix("s"))


def _consistent(rows: Sequence[Sighting], key: Callable[[Sighting], Json], agreeing: float = 0.5) -> bool:
    """One key, one record: a share `agreeing` of the other fields do, though some may have been written to."""
    groups: dict[str, list[Sighting]] = {}
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


def _asking_argument(rows: Sequence[Sighting]) -> str | None:
    """The argument that names a record which does not bear its own name."""
    names = sorted(name for name, value in rows[0].arguments.items() if keyable(value))
    shared = [name for name in names if all(keyable(row.arguments.get(name)) for row in rows)]
    likely = [name for name in shared if _is_id_name(name)] or (shared if len(shared) == 1 else [])
    return likely[0] if likely and _consistent(rows, lambda row: row.arguments.get(likely[0])) else None
