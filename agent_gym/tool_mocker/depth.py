"""A value in, the same no deeper than anybody looks out: what nests without end must not exhaust the stack."""

from collections.abc import Mapping

from agent_gym.types import Json

__all__ = ["DEEPEST", "LEAVES", "is_deep", "shallow"]

DEEPEST = 100  # levels, as far as values are told apart at all
# What nearly all values are; to see that one is of these is many times faster than to ask whether it is a Mapping.
LEAVES = frozenset({str, int, float, bool, type(None)})
_BELOW = "…"


def is_deep(value: Json) -> bool:
    layer = [value]
    for _ in range(DEEPEST):
        layer = [
            inner
            for outer in layer
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
            if type(inner) not in LEAVES and isinstance(inner, dict | list | tuple | Mapping)
        ]
        if not layer:
            return False
    return True


def shallow(value: Json) -> Json:
    """The value itself, or a copy without what lies too deep."""
    return _cut(value, DEEPEST) if isinstance(value, Mapping | list) and is_deep(value) else value


def _cut(value: Json, deeper: int) -> Json:
    if isinstance(value, Mapping):
        return {name: _cut(inner, deeper - 1) for name, inner in value.items()} if deeper else _BELOW
    if isinstance(value, list | tuple):
        return [_cut(inner, deeper - 1) for inner in value] if deeper else _BELOW
    return value
