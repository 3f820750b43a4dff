"""A result in, the records it shows out: every dict in it that stands where the mined sites say records stand.

A *site* is a place where a tool's results hold dicts: the result itself (`""`), a nested object (`owner`), an
element of a list (`items[]`), a value of a map from ids (`methods{}`). `mining/tables.py` finds them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from agent_gym.tool_mocker.depth import LEAVES
from agent_gym.types import Json

__all__ = [
    "Node",
    "Record",
    "Records",
    "Site",
    "Sites",
    "inner_path",
    "is_id_map",
    "key_of",
    "keyable",
    "nodes",
    "records_in",
]

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

    @property
    def name(self) -> tuple[str, str]:
        """What the tables know it by."""
        return self.table, self.key


Sites: TypeAlias = Mapping[tuple[str, str], Site]  # (tool, path in its results) → what stands there
Records: TypeAlias = Mapping[tuple[str, str], Mapping[str, Json]]  # (table, key) → fields


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
