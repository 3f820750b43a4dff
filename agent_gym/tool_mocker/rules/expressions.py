"""The language of rules: small expressions with a value in a context, and words a person can read.

`value` gives MISSING where the context does not hold what the expression needs; a rule with a missing part
does not answer.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from agent_gym.text import canonical
from agent_gym.tool_mocker.rules.context import MISSING, Context, is_number
from agent_gym.types import Json

__all__ = [
    "Binary",
    "Branch",
    "Choice",
    "Const",
    "Expr",
    "Given",
    "Lookup",
    "Mapped",
    "Path",
    "Piece",
    "Sorted",
    "Template",
    "Total",
    "Unary",
]


class Expr(Protocol):
    """An expression of the rule language."""

    def value(self, context: Context) -> Json: ...

    def words(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Const:
    """The same for every call."""

    constant: Json

    def value(self, context: Context) -> Json:
        del context
        return self.constant

    def words(self) -> str:
        return canonical(self.constant).decode()


@dataclass(frozen=True, slots=True)
class Path:
    """A value of the arguments, the record, or the list element at hand."""

    root: str
    steps: tuple[str | int, ...]

    def value(self, context: Context) -> Json:
        found = context.root(self.root)
        for step in self.steps:
            if isinstance(step, int):
                if not isinstance(found, list) or not -len(found) <= step < len(found):
                    return MISSING
                found = found[step]
            elif isinstance(found, Mapping) and step in found:
                found = found[step]
            else:
                return MISSING
        return found

    def words(self) -> str:
        return ".".join([self.root, *map(str, self.steps)])


@dataclass(frozen=True, slots=True)
class Given:
    """Whether the call gives an argument at all."""

    argument: str

    def value(self, context: Context) -> Json:
        return self.argument in context.arguments

    def words(self) -> str:
        return f"argument.{self.argument} is given"


@dataclass(frozen=True, slots=True)
class Lookup:
    """A field of the record that an id names."""

    key: Expr
    table: str
    field: str

    def value(self, context: Context) -> Json:
        key = self.key.value(context)
        if not isinstance(key, str | int):
            return MISSING
        record = context.named(self.table, str(key))
        return MISSING if record is None else record.get(self.field, MISSING)

    def words(self) -> str:
        return f"{self.table}[{self.key.words()}].{self.field}"


@dataclass(frozen=True, slots=True)
class Total:
    """The sum of a number over a list: of its elements' field, or of the records its ids name."""

    items: Expr
    field: str
    table: str | None = None

    def value(self, context: Context) -> Json:
        items = self.items.value(context)
        if not isinstance(items, list):
            return MISSING
        numbers = []
        for item in items:
            row = item if self.table is None else context.named(self.table, str(item))
            number = row.get(self.field) if isinstance(row, Mapping) else None
            if not is_number(number):
                return MISSING
            numbers.append(number)
        return math.fsum(numbers)

    def words(self) -> str:
        where = f"{self.table}[…]" if self.table else "element"
        return f"sum of {where}.{self.field} over {self.items.words()}"


@dataclass(frozen=True, slots=True)
class Piece:
    """One of the runs of letters and digits that an id is made of: the 91901 of AC-91901."""

    inner: Expr
    at: int

    def value(self, context: Context) -> Json:
        inner = self.inner.value(context)
        pieces = re.findall(r"[^\W_]+", inner) if isinstance(inner, str) and len(inner) <= 60 else []
        return pieces[self.at] if len(pieces) > max(1, self.at) else MISSING

    def words(self) -> str:
        return f"piece {self.at + 1} of {self.inner.words()}"


@dataclass(frozen=True, slots=True)
class Sorted:
    """A list in order."""

    items: Expr

    def value(self, context: Context) -> Json:
        items = self.items.value(context)
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            return MISSING
        return sorted(items)

    def words(self) -> str:
        return f"sorted {self.items.words()}"


@dataclass(frozen=True, slots=True)
class Unary:
    """A number turned: negated, without its sign; or the count of a list."""

    op: Literal["minus", "size of", "count of"]
    inner: Expr

    def value(self, context: Context) -> Json:
        inner = self.inner.value(context)
        if self.op == "count of":
            return len(inner) if isinstance(inner, list | Mapping) else MISSING
        if not is_number(inner):
            return MISSING
        return -inner if self.op == "minus" else abs(inner)

    def words(self) -> str:
        return f"{self.op} {self.inner.words()}"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two numbers combined."""

    op: Literal["+", "-", "*", "less %"]
    left: Expr
    right: Expr

    def value(self, context: Context) -> Json:
        left, right = self.left.value(context), self.right.value(context)
        if not is_number(left) or not is_number(right):
            return MISSING
        if self.op == "+":
            return left + right
        if self.op == "-":
            return left - right
        if self.op == "*":
            return left * right
        return round(left * (100 - right) / 100, 2)

    def words(self) -> str:
        return f"({self.left.words()} {self.op} {self.right.words()})"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two constants, by the sign of a number."""

    number: Expr
    above: Json
    otherwise: Json

    def value(self, context: Context) -> Json:
        number = self.number.value(context)
        if not is_number(number):
            return MISSING
        return self.above if number > 1e-9 else self.otherwise

    def words(self) -> str:
        above, otherwise = (canonical(constant).decode() for constant in (self.above, self.otherwise))
        return f"{above} if {self.number.words()} > 0 else {otherwise}"


@dataclass(frozen=True, slots=True)
class Branch:
    """One of two expressions, by the sign of a number."""

    number: Expr
    above: Expr
    otherwise: Expr

    def value(self, context: Context) -> Json:
        number = self.number.value(context)
        if not is_number(number):
            return MISSING
        return (self.above if number > 1e-9 else self.otherwise).value(context)

    def words(self) -> str:
        return f"{self.above.words()} if {self.number.words()} > 0 else {self.otherwise.words()}"


@dataclass(frozen=True, slots=True)
class Mapped:
    """A constant for each value of another expression; a value never seen has none."""

    inner: Expr
    table: Mapping[bytes, Json]

    def value(self, context: Context) -> Json:
        inner = self.inner.value(context)
        return MISSING if inner is MISSING else self.table.get(canonical(inner), MISSING)

    def words(self) -> str:
        known = sorted(self.table.items())[:6]
        shown = ", ".join(f"{key.decode()} → {canonical(constant).decode()}" for key, constant in known)
        return f"{self.inner.words()} mapped by {{{shown}}}"


@dataclass(frozen=True, slots=True)
class Template:
    """A text with places for values."""

    parts: tuple[str | Expr, ...]

    def value(self, context: Context) -> Json:
        text = []
        for part in self.parts:
            piece = part if isinstance(part, str) else part.value(context)
            if piece is MISSING or isinstance(piece, Mapping | list):
                return MISSING
            text.append(str(piece))
        return "".join(text)

    def words(self) -> str:
        return '"' + "".join(p if isinstance(p, str) else f"{{{p.words()}}}" for p in self.parts) + '"'
