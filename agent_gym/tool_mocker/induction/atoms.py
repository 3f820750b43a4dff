"""What rules are made of: every value of a context that one could use, simplest first; and when one explains.

A rule must be right on every example of a small set, and on nearly every one of a large set. Where it finds nothing
to say it is silent, not wrong, as long as it speaks for enough of the examples.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

from agent_gym.text import canonical
from agent_gym.tool_mocker.expressions.language import (
    FORMATS,
    MISSING,
    Calculated,
    Context,
    Expr,
    Lookup,
    Path,
    Piece,
    Sorted,
    Total,
    Unary,
    calculated,
    is_number,
)
from agent_gym.types import Json

__all__ = ["Column", "Form", "TablesOf", "Wanted", "agreed", "atoms_of", "enough", "explains", "form", "needed"]


TablesOf = Callable[[str], Sequence[str]]  # a key → the tables that hold a record of that name

_DEPTH = 3
_LOOK_AT = 12  # contexts from which the expressions are read off
_MOST = 400


def atoms_of(contexts: Sequence[Context], tables_of: TablesOf) -> list[Expr]:
    """Distinct expressions, in an order that depends on nothing but the contexts."""
    found: dict[str, Expr] = {}
    paths: dict[Path, Json] = {}
    for context in contexts[:_LOOK_AT]:
        for root in ("pair", "argument", "answer", "element", "record"):
            for path, value in _paths(root, context.root(root), ()):
                paths.setdefault(path, value)
    for path in paths:
        found.setdefault(path.words(), path)
    for path in list(paths):
        for expr in _derived(path, contexts, tables_of):
            found.setdefault(expr.words(), expr)
    return list(found.values())[:_MOST]


def _paths(root: str, value: Json, steps: tuple[str | int, ...]) -> Iterator[tuple[Path, Json]]:
    if steps or (root == "element" and value is not None):
        yield Path(root, steps), value
    if len(steps) >= _DEPTH:
        return
    if isinstance(value, Mapping):
        for name in value:
            yield from _paths(root, value[name], (*steps, name))
    elif isinstance(value, list) and value:
        for at in (0, -1):
            yield from _paths(root, value[at], (*steps, at))


def _derived(path: Path, contexts: Sequence[Context], tables_of: TablesOf) -> Iterator[Expr]:
    """What a path leads to: pieces of its texts, the records its ids name, sums and counts over its lists."""
    for value in _sample(path, contexts):
        if isinstance(value, str) and path.root == "argument":
            yield from _of_text(path, value)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield from _of_id(path, str(value), contexts, tables_of)
        elif isinstance(value, list):
            yield from _of_list(path, value, contexts, tables_of)


def _of_text(path: Path, text: str) -> Iterator[Expr]:
    """The words that an id is made of, and what a sum comes to."""
    pieces = re.findall(r"[^\W_]+", text) if len(text) <= 60 and " " not in text else []
    yield from (Piece(path, at) for at, piece in enumerate(pieces[:4]) if len(pieces) > 1 and len(piece) >= 3)
    if not text.strip().isdigit() and calculated(text) is not None:
        yield from (Calculated(path, form) for form in FORMATS)


def _of_id(path: Path, key: str, contexts: Sequence[Context], tables_of: TablesOf) -> Iterator[Expr]:
    """The fields of the records that an id names."""
    for table in tables_of(key):
        for context in contexts[:_LOOK_AT]:
            record = context.named(table, key)
            if record is not None:
                yield from (Lookup(path, table, name) for name in record)


def _of_list(path: Path, items: list[Json], contexts: Sequence[Context], tables_of: TablesOf) -> Iterator[Expr]:
    """How many there are, and what the numbers of the elements, or of the records they name, add up to."""
    yield Unary("count of", path)
    if items and isinstance(items[0], str):
        yield Sorted(path)
        for table in tables_of(items[0]):
            record = contexts[0].named(table, items[0])
            numbers = [name for name, number in (record or {}).items() if is_number(number)]
            yield from (Total(path, name, table) for name in numbers)
    elif items and isinstance(items[0], Mapping):
        yield from (Total(path, name) for name, number in items[0].items() if is_number(number))


def _sample(path: Path, contexts: Sequence[Context]) -> list[Json]:
    """A few distinct values of the path: enough to see what it names."""
    seen: dict[bytes, Json] = {}
    for context in contexts[:_LOOK_AT]:
        value = path.value(context)
        if value is not MISSING and value is not None:
            seen.setdefault(canonical(value), value)
    return list(seen.values())[:3]


_NEARLY_ALL = 0.9
_FEW = 10  # examples, of which none may be explained wrongly

Form: TypeAlias = bytes | None  # a value as it is compared; None where it is missing


@dataclass(frozen=True, slots=True)
class Wanted:
    """The values to explain, one a context, MISSING where there is none; `name` is the field they stand in, or ""."""

    values: Sequence[Json]
    forms: Sequence[Form]
    name: str

    @classmethod
    def of(cls, values: Sequence[Json], name: str) -> Self:
        return cls(values, [form(value) for value in values], name)

    @property
    def known(self) -> list[Json]:
        return [value for value in self.values if value is not MISSING]


@dataclass(frozen=True, slots=True)
class Column:
    """An expression and its value in every context."""

    expr: Expr
    values: Sequence[Json]
    forms: Sequence[Form]

    @classmethod
    def of(cls, expr: Expr, contexts: Iterable[Context]) -> Self:
        values = [expr.value(context) for context in contexts]
        return cls(expr, values, [form(value) for value in values])


def form(value: Json) -> Form:
    return None if value is MISSING else canonical(value)


def explains(rule: Expr, contexts: Iterable[Context], wanted: Wanted) -> bool:
    return agreed(Column.of(rule, contexts).forms, wanted.forms) is not None


def agreed(found: Sequence[Form], wanted: Sequence[Form]) -> int | None:
    """How many examples a rule explains, or None if that does not make it an explanation."""
    spoken = [(have, want) for have, want in zip(found, wanted, strict=True) if have is not None and want is not None]
    hits = sum(have == want for have, want in spoken)
    n = sum(want is not None for want in wanted)
    return hits if enough(len(spoken), n, hits) and hits >= needed(len(spoken)) else None


def enough(spoken: int, n: int, hits: int) -> bool:
    """Whether a rule speaks for enough examples: most of them, or a quarter if it is never wrong."""
    return 2 * spoken > n or (spoken >= 3 and 4 * spoken >= n and hits == spoken)


def needed(n: int) -> int:
    """How many of n examples a rule must explain."""
    return n if n < _FEW else math.ceil(_NEARLY_ALL * n)
