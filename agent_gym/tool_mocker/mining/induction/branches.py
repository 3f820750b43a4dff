"""Explains a value that is a constant for some calls and taken over for others: by which of two numbers is larger."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agent_gym.tool_mocker.mining.induction.agreement import Column, Wanted, explains
from agent_gym.tool_mocker.mining.induction.numbers import numeric
from agent_gym.tool_mocker.rules.context import Context
from agent_gym.tool_mocker.rules.expressions import Binary, Branch, Const, Expr

__all__ = ["branched"]

_MIN_EACH = 4  # examples on either side: fewer are told apart by some pair of numbers
_MOST_NUMBERS = 30
_TOLD_APART = 0.9


def branched(columns: Sequence[Column], wanted: Wanted, contexts: Sequence[Context]) -> Expr | None:
    counts = Counter(form for form in wanted.forms if form is not None)
    constant, times = counts.most_common(1)[0]
    others = np.array([form is not None and form != constant for form in wanted.forms])
    if times < _MIN_EACH or others.sum() < _MIN_EACH:
        return None
    taken_over = _taken_over(columns, wanted, others)
    if taken_over is None:
        return None
    usual = Const(wanted.values[wanted.forms.index(constant)])
    numbers = numeric(columns)[:_MOST_NUMBERS]
    for left in numbers:
        for right in numbers:
            difference = left.column - right.column
            known = np.isfinite(difference)
            if min(others[known].sum(), (~others[known]).sum()) < _MIN_EACH or left is right:
                continue
            above = difference[known] > 0
            if (above == others[known]).mean() > _TOLD_APART:
                rule = Branch(Binary("-", left.expr, right.expr), taken_over, usual)
                if explains(rule, contexts, wanted):
                    return rule
    return None


def _taken_over(columns: Sequence[Column], wanted: Wanted, others: NDArray[np.bool_]) -> Expr | None:
    """The expression that has the value wherever it is not the constant, as far as it can be told."""
    for column in columns:
        rows = zip(column.forms, wanted.forms, others, strict=True)
        told = [have == want for have, want, other in rows if other and have is not None]
        if len(told) >= _MIN_EACH and all(told):
            return column.expr
    return None
