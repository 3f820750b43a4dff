"""Filters: what the arguments of a call ask of the rows of a list."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from agent_gym.text import same
from agent_gym.tool_mocker.log import LEAVES
from agent_gym.types import Json

__all__ = ["ANY_FIELD", "RELATIONS", "Filter", "Relation", "Row", "fits", "holds", "is_given", "is_implied"]

Row: TypeAlias = Mapping[str, Json]
Relation: TypeAlias = Literal["is", "holds", "within", "from", "to", "starts"]

RELATIONS: tuple[Relation, ...] = ("is", "starts", "within", "holds", "from", "to")
ANY_FIELD = "*"  # any of the row's texts


class Filter(NamedTuple):
    """What an argument asks of a row's field."""

    argument: str
    relation: Relation
    field: str

    def words(self) -> str:
        says = {
            "is": "is",
            "holds": "contains",
            "within": "is one of",
            "from": "is not before",
            "to": "is not after",
            "starts": "begins with",
        }
        field = "any text" if self.field == ANY_FIELD else self.field
        return f"{field} {says[self.relation]} argument.{self.argument}"


def holds(relation: Relation, field: str, row: Row, given: Json) -> bool:
    if field == ANY_FIELD:
        return any(_related(relation, value, given) for value in row.values() if isinstance(value, str))
    return field in row and _related(relation, row[field], given)


def _related(relation: Relation, value: Json, given: Json) -> bool:
    if relation == "is":
        if isinstance(value, str) and isinstance(given, str):
            return value.casefold() == given.casefold()
        return type(value) in LEAVES and same(value, given)
    if relation == "within":
        return isinstance(given, list) and any(same(value, one) for one in given)
    if relation == "holds":
        if isinstance(value, list):
            return any(_related("is", one, given) for one in value)
        return isinstance(value, str) and isinstance(given, str) and given.casefold() in value.casefold()
    if relation == "starts":
        return isinstance(value, str) and isinstance(given, str) and bool(given) and value.startswith(given)
    order = _compared(value, given)
    return order is not None and (order >= 0 if relation == "from" else order <= 0)


def _compared(value: Json, given: Json) -> int | None:
    """-1, 0 or 1: numbers by size, texts of digits and signs, such as dates, by their signs as far as both go."""
    if isinstance(value, bool) or isinstance(given, bool):
        return None
    if isinstance(value, int | float) and isinstance(given, int | float):
        return 0 if math.isclose(value, given, abs_tol=1e-9) else -1 if value < given else 1
    if not (isinstance(value, str) and isinstance(given, str) and value[:1].isdigit() and given[:1].isdigit()):
        return None
    length = min(len(value), len(given))
    mine, other = value[:length].replace("T", " "), given[:length].replace("T", " ")
    # A day with a time is after the day alone only where both tell the time.
    return (mine > other) - (mine < other)


def fits(filters: Sequence[Filter], row: Row, arguments: Mapping[str, Json]) -> bool:
    return all(
        holds(f.relation, f.field, row, arguments[f.argument]) for f in filters if is_given(arguments.get(f.argument))
    )


def is_implied(relation: Relation, before: Json, given: Json) -> bool:
    """Whether what fits the value given now also fits the one given before."""
    if relation in ("is", "within"):
        return _related("is", before, given)
    if relation == "holds":
        return isinstance(before, str) and isinstance(given, str) and before.casefold() in given.casefold()
    if relation == "starts":
        return isinstance(before, str) and isinstance(given, str) and given.startswith(before)
    order = _compared(given, before)
    return order is not None and (order >= 0 if relation == "from" else order <= 0)


def is_given(value: Json) -> bool:
    return value not in (None, "", [])
