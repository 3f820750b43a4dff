"""Values in, values out: differences between two records, and answers adapted to other arguments."""

import re
from collections.abc import Iterator, Mapping

from agent_gym.text import same
from agent_gym.tool_mocker.log import LEAVES
from agent_gym.types import Json

__all__ = ["difference", "substituted", "substitutions"]


_PIECE = re.compile(r"[^\W_]+")


def difference(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[str, Json]:
    """The fields of `after` that `before` has not, or has otherwise."""
    return {name: value for name, value in after.items() if name not in before or not same(before[name], value)}


def substitutions(old: Mapping[str, Json], new: Mapping[str, Json]) -> list[tuple[Json, Json]]:
    """Pairs of scalars that changed between two argument sets, and of the pieces that ids are made of."""
    whole = [(a, b) for name in sorted(old.keys() & new.keys()) for a, b in _pairs(old[name], new[name])]
    pieces = [pair for a, b in whole if isinstance(a, str) and isinstance(b, str) for pair in _pieces(a, b)]
    found: list[tuple[Json, Json]] = []
    for pair in (*whole, *pieces):
        if pair not in found:
            found.append(pair)
    return found


def _pieces(old: str, new: str) -> Iterator[tuple[str, str]]:
    """`AC-91901` and `AC-12586`: what belongs to the first bears a 91901, to the second a 12586."""
    left, right = _PIECE.findall(old), _PIECE.findall(new)
    if 1 < len(left) == len(right) <= 4:
        yield from ((a, b) for a, b in zip(left, right, strict=True) if a != b and len(a) >= 4 and a.isdigit())


def _pairs(old: Json, new: Json) -> Iterator[tuple[Json, Json]]:
    if type(old) in LEAVES and type(new) in LEAVES:
        if old != new and old is not None and new is not None:
            yield old, new
    elif isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() & new.keys()):
            yield from _pairs(old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        for a, b in zip(old, new, strict=False):
            yield from _pairs(a, b)
    elif not isinstance(old, Mapping | list | None) and not isinstance(new, Mapping | list | None) and old != new:
        yield old, new


def substituted(value: Json, pairs: list[tuple[Json, Json]]) -> Json:
    """The value with every old scalar replaced by its new one, inside longer texts too."""
    if type(value) not in LEAVES:
        if isinstance(value, Mapping):
            return {substituted(name, pairs): substituted(inner, pairs) for name, inner in value.items()}
        if isinstance(value, list):
            return [substituted(inner, pairs) for inner in value]
    for old, new in pairs:
        if type(value) is type(old) and value == old:
            return new
    if isinstance(value, str):
        for old, new in pairs:
            # Short words occur by chance; an id or a name does not.
            if isinstance(old, str) and len(old) >= 4 and old in value:
                value = value.replace(old, str(new))
    return value
