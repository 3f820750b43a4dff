"""Frozen values in, JSON out, and back: what was mined, in a form that holds no code.

Every container is written as a list that opens with its tag, so that a tuple comes back as a tuple and a rule as
that rule. Only the types a codec is given can be read: a file names none but those.
"""

import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import fields, is_dataclass
from typing import Any, TypeAlias

from agent_gym.types import Json

__all__ = ["Codec", "Swap"]

Swap: TypeAlias = tuple[Callable[[Any], Json], Callable[[Json], Any]]  # how a type is written, and read, instead

_SCALARS = (str, int, type(None))
_PLAIN, _TUPLE, _LIST, _SET, _MAP, _BYTES, _FLOAT, _NUMBERS = "j", "t", "l", "s", "m", "b", "f", "a"


class Codec:
    """`types`: frozen dataclasses and named tuples; `swaps`: those that are written otherwise, by type."""

    def __init__(self, types: Iterable[type], swaps: Mapping[type, Swap] | None = None) -> None:
        self._types = {kind.__name__: kind for kind in types}
        self._names = {kind: _field_names(kind) for kind in self._types.values()}
        self._swaps = dict(swaps or {})
        self._swapped = {kind.__name__: swap[1] for kind, swap in self._swaps.items()}

    @property
    def shape(self) -> list[list[str]]:
        """What the types look like: a file of another shape cannot be read, and is mined again."""
        return [[name, *self._names[kind]] for name, kind in sorted(self._types.items())]

    def encode(self, value: Any) -> Json:
        kind = type(value)
        if kind in self._swaps:
            return [kind.__name__, self._swaps[kind][0](value)]
        if kind in self._names:
            return [kind.__name__, *(self._field(kind, name, getattr(value, name)) for name in self._names[kind])]
        if isinstance(value, _SCALARS):
            return value
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else [_FLOAT, repr(float(value))]
        if is_plain(value):
            return [_PLAIN, value]
        return self._container(value)

    def _field(self, _kind: type, _name: str, value: Any) -> Json:
        """How a field is written: a codec with shelves puts some of them there."""
        return self.encode(value)

    def _container(self, value: Any) -> Json:
        if isinstance(value, Mapping):
            return [_MAP, [[self.encode(key), self.encode(inner)] for key, inner in value.items()]]
        if isinstance(value, bytes):
            return [_BYTES, b64encode(value).decode()]
        if isinstance(value, array):
            return [_NUMBERS, value.typecode, value.tolist()]
        if isinstance(value, Set):
            return [_SET, sorted((self.encode(inner) for inner in value), key=repr)]
        if type(value) in (tuple, list):
            return [_TUPLE if isinstance(value, tuple) else _LIST, [self.encode(inner) for inner in value]]
        raise TypeError(f"{type(value).__name__} is none of the types that can be kept")

    def decode(self, value: Json) -> Any:
        """What `encode` was given; ValueError for what it never wrote."""
        if not isinstance(value, list):
            if isinstance(value, dict):
                raise ValueError("an object stands where a value with its tag should")
            return value
        try:
            tag, *rest = value
            kind = self._types.get(tag)
            if tag in self._swapped:
                (inner,) = rest
                return self._swapped[tag](inner)
            if kind is not None:
                return _made(kind, len(self._names[kind]), [self.decode(inner) for inner in rest])
            return self._read(tag, rest)
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(f"a value is not as it was written: {error}") from error

    def _read(self, tag: str, rest: list[Json]) -> Any:
        inner = rest[0]
        if tag == _PLAIN:
            return inner
        if tag == _MAP:
            return {self.decode(key): self.decode(held) for key, held in inner}
        if tag == _BYTES:
            return b64decode(inner, validate=True)
        if tag == _NUMBERS:
            return array(inner, rest[1])
        if tag == _FLOAT:
            return float(inner)
        if tag not in (_TUPLE, _SET, _LIST) or not isinstance(inner, list):
            raise ValueError(f"there is no type {tag!r}")
        found = [self.decode(one) for one in inner]
        return found if tag == _LIST else tuple(found) if tag == _TUPLE else frozenset(found)


def _field_names(kind: type) -> tuple[str, ...]:
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind) if field.init)
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # a named tuple has them
    return names


def _made(kind: type, wanted: int, values: list[Any]) -> Any:
    if len(values) != wanted:
        raise ValueError(f"a {kind.__name__} has {wanted} fields, found {len(values)}")
    return kind(*values)


def is_plain(value: Any) -> bool:
    """Whether JSON gives the value back as it is."""
    kind = type(value)
    if kind in (str, int, bool) or value is None:
        return True
    if kind is float:
        return math.isfinite(value)
    if kind is list:
        return all(is_plain(inner) for inner in value)
    return kind is dict and all(type(name) is str and is_plain(inner) for name, inner in value.items())
