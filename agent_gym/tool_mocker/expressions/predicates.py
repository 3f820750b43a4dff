"""Statements about a call and its record that are true, false, or cannot be told: what refusals are learned as."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from agent_gym.text import same
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr, is_number
from agent_gym.types import Json

__all__ = [
    "Both",
    "Compared",
    "Equal",
    "Misshapen",
    "NotAmong",
    "NotMember",
    "NotYet",
    "Predicate",
    "Unnamed",
    "shape",
]


class Predicate(Protocol):
    """A condition under which a tool refuses."""

    def holds(self, context: Context) -> bool | None: ...

    def words(self) -> str: ...


@dataclass(frozen=True, slots=True)
class NotAmong:
    """A value is none of those that every accepted call had."""

    inner: Expr
    accepted: tuple[Json, ...]
    refused: tuple[Json, ...] = ()  # values that are known to be refused, however much they look like accepted ones

    def holds(self, context: Context) -> bool | None:
        value = self.inner.value(context)
        if value is MISSING:
            return None
        if any(same(value, known) for known in self.accepted):
            return False
        if any(same(value, known) for known in self.refused):
            return True
        # "pending (item modified)" may well count as pending: nobody can tell.
        if isinstance(value, str) and any(isinstance(k, str) and k and k in value for k in self.accepted):
            return None
        return True

    def words(self) -> str:
        return f"{self.inner.words()} is not {' or '.join(map(str, self.accepted))}"


@dataclass(frozen=True, slots=True)
class NotYet:
    """A tool that must come first has not answered yet."""

    tool: str

    def holds(self, context: Context) -> bool | None:
        return self.tool not in context.done

    def words(self) -> str:
        return f"{self.tool} has not answered before"


@dataclass(frozen=True, slots=True)
class Misshapen:
    """A value does not look like any that was accepted."""

    inner: Expr
    shapes: frozenset[str]

    def holds(self, context: Context) -> bool | None:
        value = self.inner.value(context)
        return shape(str(value)) not in self.shapes if isinstance(value, str | int) else None

    def words(self) -> str:
        return f"{self.inner.words()} does not look like {' or '.join(sorted(self.shapes))}"


def shape(value: str) -> str:
    """What an id looks like: `#W5490111` and `#W7342738` look alike."""
    return re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", re.sub(r"\d", "0", value)))


@dataclass(frozen=True, slots=True)
class NotMember:
    """A value, or one of a list of them, is not in a collection: a list, a list of objects by a field, a map's keys.

    What a list names twice must be there twice.
    """

    inner: Expr
    collection: Expr
    field: str | None = None

    def holds(self, context: Context) -> bool | None:
        value, there = self.inner.value(context), _members(self.collection.value(context), self.field)
        if value is MISSING or there is None:
            return None
        if not isinstance(value, list):
            return str(value) not in there
        names = [str(one) for one in value]
        return any(there.count(name) < names.count(name) for name in names)

    def words(self) -> str:
        where = self.collection.words() + (f"[].{self.field}" if self.field else "")
        return f"{self.inner.words()} is not in {where}"


def _members(collection: Json, field: str | None) -> list[str] | None:
    if isinstance(collection, Mapping):
        return [str(name) for name in collection]
    if not isinstance(collection, list):
        return None
    if field is None:
        return [str(e) for e in collection]
    return [str(e[field]) for e in collection if isinstance(e, Mapping) and field in e]


@dataclass(frozen=True, slots=True)
class Unnamed:
    """An id, or one of a list of them, names no record of a table."""

    inner: Expr
    table: str

    def holds(self, context: Context) -> bool | None:
        value = self.inner.value(context)
        if value is MISSING:
            return None
        return any(
            context.named(self.table, str(one)) is None for one in (value if isinstance(value, list) else [value])
        )

    def words(self) -> str:
        return f"{self.inner.words()} names no {self.table}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A number is below another."""

    left: Expr
    right: Expr

    def holds(self, context: Context) -> bool | None:
        left, right = self.left.value(context), self.right.value(context)
        if not is_number(left) or not is_number(right):
            return None
        return bool(left < right - 1e-9)

    def words(self) -> str:
        return f"{self.left.words()} < {self.right.words()}"


@dataclass(frozen=True, slots=True)
class Equal:
    """Two values are, or are not, the same."""

    left: Expr
    right: Expr
    relation: Literal["is", "is not"]

    def holds(self, context: Context) -> bool | None:
        left, right = self.left.value(context), self.right.value(context)
        if left is MISSING or right is MISSING:
            return None
        return same(left, right) is (self.relation == "is")

    def words(self) -> str:
        return f"{self.left.words()} {self.relation} {self.right.words()}"


@dataclass(frozen=True, slots=True)
class Both:
    """Two conditions at once: the second tells what is excepted from the first."""

    first: Predicate
    second: Predicate

    def holds(self, context: Context) -> bool | None:
        first = self.first.holds(context)
        if first is False:
            return False
        second = self.second.holds(context)
        return False if second is False else None if first is None else second

    def words(self) -> str:
        return f"{self.first.words()} and {self.second.words()}"
