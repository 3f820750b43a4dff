"""Explains a number by one or two others, and a word by the sign of a number."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent_gym.tool_mocker.expressions.language import Binary, Choice, Expr, Unary
from agent_gym.tool_mocker.induction.atoms import Column, Wanted, enough, needed
from agent_gym.types import Json

__all__ = ["by_sign", "combined", "difference_in", "numeric"]


_SAME = 1e-6
_ZERO = 1e-9
_KNOWN = 0.25  # of a column's values: fewer tell nothing


class Numbers(NamedTuple):
    """An expression and its number in every context, NaN where it has none."""

    expr: Expr
    column: NDArray[np.float64]


def combined(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """The simplest sum, difference or product that is the number wanted."""
    target = _numbers(wanted.values)
    if target is None or len(target) < 2:
        return None
    found = numeric(columns)
    for one in found:
        rule = _of_one(one, target)
        if rule is not None:
            return rule
    for left, right in _diagonally(len(found)):
        rule = _of_two(found[left], found[right], target, in_order=left <= right, same=left == right)
        if rule is not None:
            return rule
    return None


def _of_one(one: Numbers, target: NDArray[np.float64]) -> Expr | None:
    if _close(-one.column, target):
        return Unary("minus", one.expr)
    return Unary("size of", one.expr) if _close(np.abs(one.column), target) else None


def _of_two(left: Numbers, right: Numbers, target: NDArray[np.float64], *, in_order: bool, same: bool) -> Expr | None:
    """`in_order`: what can be turned round is tried one way only."""
    (x, a), (y, b) = left, right
    if _close(a - b, target):
        return Binary("-", x, y)
    if _close(np.abs(a - b), target):
        return Unary("size of", Binary("-", x, y))
    if in_order and not same and _close(a + b, target):
        return Binary("+", x, y)
    if len(target) == 2:
        return None  # a product of some two numbers is too easily found
    if in_order and _close(a * b, target):
        return Binary("*", x, y)
    return Binary("less %", x, y) if _close(np.round(a * (100 - b) / 100, 2), target) else None


def _diagonally(n: int) -> Iterator[tuple[int, int]]:
    """All pairs below n, those of the first, simplest expressions first."""
    for total in range(2 * n - 1):
        yield from ((a, total - a) for a in range(max(0, total - n + 1), min(n, total + 1)))


def difference_in(rule: Expr | None) -> Expr | None:
    """The difference that a number was explained by."""
    inner = rule.inner if isinstance(rule, Unary) else rule
    return inner if isinstance(inner, Binary) and inner.op == "-" else None


def by_sign(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """One of two constants, by whether a number is above zero."""
    if len(set(wanted.forms) - {None}) != 2:
        return None
    for expr, column in numeric(columns):
        above = [form for form, number in zip(wanted.forms, column, strict=True) if number > _ZERO]
        below = [form for form, number in zip(wanted.forms, column, strict=True) if number <= _ZERO]
        if above and below and len(set(above)) == len(set(below)) == 1 and above[0] != below[0]:
            high, low = (wanted.values[wanted.forms.index(form)] for form in (above[0], below[0]))
            return Choice(expr, high, low)
    return None


def numeric(columns: Sequence[Column]) -> list[Numbers]:
    """The columns that hold numbers; of several that are equal, the first."""
    distinct: dict[bytes, Numbers] = {}
    for each in columns:
        column = _numbers(each.values)
        if column is not None:
            distinct.setdefault(column.tobytes(), Numbers(each.expr, column))
    return list(distinct.values())


def _numbers(values: Sequence[Json]) -> NDArray[np.float64] | None:
    """The values as numbers, NaN where missing; None if they are something else or mostly missing."""
    out = np.full(len(values), np.nan)
    for at, value in enumerate(values):
        if isinstance(value, bool | str | Mapping | list):
            return None
        if isinstance(value, int | float) and math.isfinite(value):
            out[at] = value
    return out if np.isfinite(out).mean() >= _KNOWN else None


def _close(found: NDArray[np.float64], wanted: NDArray[np.float64]) -> bool:
    """Whether numbers explain others, as `agreed` has it for any values; one hit is chance."""
    known = np.isfinite(wanted) & np.isfinite(found)
    spoken = int(known.sum())
    hits = int(np.sum(np.abs(found[known] - wanted[known]) < _SAME))
    return enough(spoken, int(np.isfinite(wanted).sum()), hits) and hits >= max(2, needed(spoken))
