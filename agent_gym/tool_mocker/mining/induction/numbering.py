"""Explains an id as a stem and a number: one more than the highest known, or the number it most often has."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.induction.agreement import Column, Wanted, explains
from agent_gym.tool_mocker.mining.induction.texts import template
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Expr, Template
from agent_gym.tool_mocker.rules.numbering import Successor

__all__ = ["commonest_number", "counted_up"]

_NUMBERED = re.compile(r"(.*\D)(\d{1,3})")


class Numbered(NamedTuple):
    """Ids taken apart: what all of them begin with, as a rule, and the number of each, as it is written."""

    stem: Expr
    ids: Sequence[tuple[str, str]]


def counted_up(
    columns: Sequence[Column], wanted: Wanted, contexts: Sequence[Context], tables_of: TablesOf
) -> Expr | None:
    """The rule that the id is the next of those that some table knows."""
    found = _numbered(columns, wanted, contexts)
    if found is None:
        return None
    digits = len(found.ids[0][1]) if any(number.startswith("0") for _, number in found.ids) else 1
    before = (f"{stem}{int(number) - 1:0{digits}}" for stem, number in found.ids)
    for table in sorted({table for key in before for table in tables_of(key)}):
        rule = Successor(found.stem, digits, table)
        if explains(rule, contexts, wanted):
            return rule
    return None


def commonest_number(columns: Sequence[Column], wanted: Wanted, contexts: Sequence[Context]) -> Expr | None:
    """The id with the number that at least half of the examples have: a guess, not a rule."""
    found = _numbered(columns, wanted, contexts)
    if found is None:
        return None
    number, times = Counter(number for _, number in found.ids).most_common(1)[0]
    return Template((found.stem, number)) if 2 * times >= len(found.ids) else None


def _numbered(columns: Sequence[Column], wanted: Wanted, contexts: Sequence[Context]) -> Numbered | None:
    """Ids whose stem follows from the context."""
    known = wanted.known
    parts = [_NUMBERED.fullmatch(value) if isinstance(value, str) else None for value in wanted.values]
    ids = [(part[1], part[2]) for part in parts if part is not None]
    if len(ids) < len(known) or len({stem for stem, _ in ids}) < 2:
        return None
    stem = template(columns, Wanted.of([part[1] if part else MISSING for part in parts], ""), contexts)
    return Numbered(stem, ids) if stem is not None else None
