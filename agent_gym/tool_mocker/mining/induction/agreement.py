"""What rules give and what is wanted in, whether that explains it out: silence is allowed, errors hardly.

A rule must be right on every example of a small set, and on nearly every one of a large set. Where it finds
nothing to say it is silent, not wrong, as long as it speaks for enough of the examples.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

from agent_gym.text import canonical
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.types import Json

__all__ = ["Column", "Form", "Wanted", "agreed", "enough", "explains", "form", "needed"]

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
