"""The language of rules: small expressions with a value in a context, and words a person can read.

`value` gives MISSING where the context does not hold what the expression needs; a rule with a missing part does not
answer.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol, TypeGuard

from agent_gym.text import canonical
from agent_gym.types import Json

__all__ = [
    "FORMATS",
    "MISSING",
    "Binary",
    "Calculated",
    "Choice",
    "Const",
    "Context",
    "Expr",
    "Format",
    "Given",
    "Lookup",
    "Mapped",
    "Named",
    "Past",
    "Path",
    "Piece",
    "Sorted",
    "Template",
    "Total",
    "Unary",
    "calculated",
    "is_number",
    "names_nothing",
]


class _Missing:
    """Stands for a value that a rule cannot find; never equal to anything a result may hold."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING: Final = _Missing()


class Past(NamedTuple):
    """A successful call before the one at hand."""

    tool: str
    arguments: Mapping[str, Json]
    result: Json
    is_guess: bool = False


Named = Callable[[str, str], Mapping[str, Json] | None]  # (table, key) → the record as it is now


def names_nothing(_table: str, _key: str) -> None:
    """The `Named` of a context in which no id means anything."""


@dataclass(frozen=True, slots=True)
class Context:
    """`element` and `pair` are set while a rule goes through a list: the old element, and what replaces what."""

    arguments: Mapping[str, Json]
    record: Mapping[str, Json]
    named: Named
    done: frozenset[str] = frozenset()  # the tools that have answered before, errors apart
    element: Json = None
    pair: Mapping[str, Json] | None = None
    history: Sequence[Past] = ()  # the successful writes before, in order
    answer: Json = None  # what a write has answered, for rules about what it does

    def root(self, name: str) -> Json:
        if name == "argument":
            return self.arguments
        if name == "record":
            return self.record
        if name == "answer":
            return self.answer
        return self.element if name == "element" else self.pair


def is_number(value: Json) -> TypeGuard[int | float]:
    """JSON's true and false are no numbers, though Python's are."""
    return isinstance(value, int | float) and not isinstance(value, bool)


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
            elif (type(found) is dict or isinstance(found, Mapping)) and step in found:  # the first is faster to tell
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


Format = Literal["number", "rounded", "text", "rounded text", "two decimals"]
FORMATS: Mapping[Format, Callable[[float], Json]] = {
    "number": lambda x: x,
    "rounded": lambda x: round(x, 2),
    "text": str,
    "rounded text": lambda x: str(round(x, 2)),
    "two decimals": lambda x: f"{x:.2f}",
}
_OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Calculated:
    """The value of an arithmetic expression that an argument holds, in the tool's format."""

    text: Expr
    format: Format

    def value(self, context: Context) -> Json:
        text = self.text.value(context)
        number = calculated(text) if isinstance(text, str) else None
        return MISSING if number is None else FORMATS[self.format](number)

    def words(self) -> str:
        return f"{self.text.words()} calculated, as {self.format}"


def calculated(text: str) -> float | None:
    """The number an arithmetic text stands for; None for anything else. Nothing is ever executed."""
    if len(text) > _LONGEST:
        return None
    try:
        number = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    return number if number is not None and math.isfinite(number) else None


def _value(node: ast.AST) -> float | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.BinOp):
        operation = _OPERATORS.get(type(node.op))
        left, right = _value(node.left), _value(node.right)
        return None if operation is None or left is None or right is None else operation(left, right)
    if isinstance(node, ast.UnaryOp):
        operation, inner = _OPERATORS.get(type(node.op)), _value(node.operand)
        return None if operation is None or inner is None else operation(inner)
    return None
