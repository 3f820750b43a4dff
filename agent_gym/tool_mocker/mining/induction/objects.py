"""Explains an object by explaining each of its fields."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from agent_gym.tool_mocker.mining.induction.agreement import Wanted
from agent_gym.tool_mocker.rules.context import MISSING
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.tool_mocker.rules.structures import Object
from agent_gym.types import Json

__all__ = ["Explains", "each_field", "field_by_field"]


class Explains(Protocol):
    """Whoever explains the parts: the inducer itself."""

    def explain(self, targets: Sequence[Json], name: str = "") -> Expr | None: ...


def field_by_field(inducer: Explains, wanted: Wanted) -> Expr | None:
    """An object that has the same fields in every example."""
    if not all(isinstance(value, Mapping) or value is MISSING for value in wanted.values):
        return None
    first: Mapping[str, Json] = wanted.known[0]
    if not first or any(value.keys() != first.keys() for value in wanted.known):
        return None
    # Numbers first: the sign of a difference found for one field may decide the word in another.
    in_turn = sorted(first, key=lambda name: not isinstance(first[name], int | float))
    fields = each_field(inducer, in_turn, wanted.values)
    return Object(tuple((name, fields[name]) for name in first)) if fields is not None else None


def each_field(inducer: Explains, names: Iterable[str], values: Sequence[Json]) -> dict[str, Expr] | None:
    """A rule for every field named, or None if one of them has none."""
    fields: dict[str, Expr] = {}
    for name in names:
        rule = inducer.explain([v if v is MISSING else v.get(name, MISSING) for v in values], name)
        if rule is None:
            return None
        fields[name] = rule
    return fields
