"""The attributes of an OpenTelemetry span in any encoding in, plain and nested attributes out."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from agent_gym.types import Json

__all__ = ["Attributes", "plain_attributes", "plain_value"]

_VALUES: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue")


class Attributes:
    """Attributes by dotted name: given flat, spelled out as `llm.input_messages.0.message.role`, or nested."""

    __slots__ = ("_names", "_tree", "flat")

    def __init__(self, flat: Mapping[str, Json]) -> None:
        self.flat = flat
        self._names = _names(tuple(flat)) if dict not in map(type, flat.values()) else None
        self._tree: dict[str, Json] | None = None

    def __getitem__(self, name: str) -> Json:
        """What stands under the name, lists and objects put together; None for nothing."""
        if (found := self.flat.get(name)) is not None:
            return found
        if self._tree is None:
            if self._names is not None and name not in self._names.stems:
                return None
            self._tree = _tree(self.flat)
        head, _, rest = name.partition(".")
        at = self._tree.get(head)
        if at is None or not rest:
            return _listed(at)
        for step in rest.split("."):
            at = at.get(step) if isinstance(at, dict) else None
            if at is None:
                return None
        return _listed(at)

    def first(self, *names: str) -> Json:
        if self._names is not None and self._names.all.isdisjoint(names):
            return None
        for name in names:
            if (value := self[name]) is not None:
                return value
        return None

    def text(self, *names: str) -> str:
        if self._names is not None and self._names.all.isdisjoint(names):
            return ""
        for name in names:
            value = self[name]
            if value and isinstance(value, str):
                return value.strip()
        return ""


def plain_value(value: Json) -> Json:
    """{"stringValue": "x"} as "x"; what is not so wrapped stays as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind in _VALUES:
        return inner
    if kind == "intValue":
        return int(inner) if isinstance(inner, str) and inner.lstrip("-").isdigit() and len(inner) < 30 else inner
    if kind == "arrayValue" and isinstance(inner, dict):
        values = inner.get("values")
        return [plain_value(one) for one in values] if isinstance(values, list) else []
    if kind == "kvlistValue" and isinstance(inner, dict):
        return plain_attributes(inner.get("values"))
    return value


def plain_attributes(attributes: Json) -> dict[str, Json]:
    """By name; the very object where it is plain already, so not to be changed."""
    if isinstance(attributes, dict):
        if dict not in map(type, attributes.values()):
            return attributes
        return {key: plain_value(value) if type(value) is dict else value for key, value in attributes.items()}
    if not isinstance(attributes, list):
        return {}
    return {
        str(one["key"]): plain_value(one.get("value")) for one in attributes if isinstance(one, dict) and "key" in one
    }


class _Names(NamedTuple):
    """What something is spelled out below, and that with the names themselves."""

    stems: frozenset[str]
    all: frozenset[str]


@lru_cache(maxsize=256)
def _names(names: tuple[str, ...]) -> _Names:
    """The spans of a log have few sets of names."""
    stems = frozenset(
        ".".join(steps[:length]) for steps in (name.split(".") for name in names) for length in range(1, len(steps))
    )
    return _Names(stems, stems.union(names))


def _tree(flat: Mapping[str, Json]) -> dict[str, Json]:
    tree: dict[str, Json] = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        at = tree
        for step in path:
            inner = at.get(step)
            if type(inner) is not dict:
                inner = at[step] = {}
            at = inner
        known = at.get(last)
        # Both forms in one span: what is spelled out is added to what is nested, never to the record's own objects.
        at[last] = {**value, **known} if isinstance(known, dict) and isinstance(value, dict) else _copied(value)
    return tree


def _copied(value: Json) -> Json:
    return dict(value) if type(value) is dict else value


def _listed(tree: Json) -> Json:
    """Objects whose keys are 0, 1, 2 … are lists."""
    if type(tree) is not dict:
        return tree
    if tree and all(key.isdecimal() and len(key) < 9 for key in tree):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    return {key: _listed(value) for key, value in tree.items()}
