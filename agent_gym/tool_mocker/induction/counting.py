"""Explains ids and numbers that are counted up: by the highest known one, or by what was done before."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.expressions.counting import NextNumber, Successor
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr, Template
from agent_gym.tool_mocker.induction.atoms import Column, TablesOf, Wanted, explains
from agent_gym.tool_mocker.induction.texts import template
from agent_gym.tool_mocker.log import linking_values
from agent_gym.types import Json

__all__ = ["commonest_number", "counted_up", "find_counter"]


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


_COUNTED = re.compile(r"(.*?)(\d+)", re.DOTALL)
_MOST_TOOLS = 4
_RIGHT = 0.9


class _Example(NamedTuple):
    context: Context
    number: int


def find_counter(
    tool: str, contexts: Sequence[Context], values: Sequence[Json], tables_of: TablesOf
) -> NextNumber | None:
    """The count that the values follow, if there is one: every one of them but for a log's odd ones."""
    parsed = [_taken_apart(value) for value in values if value is not MISSING]
    if not parsed or None in parsed or len({part[0] for part in parsed if part}) != 1:
        return None
    rows = [
        _Example(context, part[1])
        for context, part in zip(
            (c for c, v in zip(contexts, values, strict=True) if v is not MISSING), parsed, strict=True
        )
        if part
    ]
    # A number that the caller named is not counted.
    if any(str(row.number) in map(str, row.context.arguments.values()) for row in rows):
        return None
    stem = parsed[0][0] if parsed[0] else None
    if any(isinstance(value, str) and not linking_values(value) for value in values):
        return None  # a date
    widths = {part[2] for part in parsed if part}
    digits = max(widths) if len(widths) == 1 and stem is not None else 1
    best: tuple[tuple[float, ...], NextNumber] | None = None
    for group in (None, *_groups(rows)):
        found = _with_tools(tool, rows, group)
        if found is None:
            continue
        right, rule = found
        before = str(rule.first - 1) if stem is None else f"{stem}{rule.first - 1:0{digits}}"
        done = NextNumber(0, rule.tools, rule.group)
        steps = sum(done.value(row.context) != 0 and rule.value(row.context) == row.number for row in rows)
        # A plain number that is always the same is a constant; an id that is, is the first of a count.
        proven = steps > 1 or bool(tables_of(before)) or (stem is not None and rule.firsts is None and len(rows) > 2)
        quality = (right, group is None, -len(rule.tools))
        if right >= _RIGHT * len(rows) and proven and (best is None or quality > best[0]):
            best = (quality, rule)
    if best is None:
        return None
    rule = best[1]
    return NextNumber(rule.first, rule.tools, rule.group, stem, digits, rule.firsts)


def _taken_apart(value: Json) -> tuple[str | None, int, int] | None:
    """(what stands before the number, the number, how many digits)."""
    if isinstance(value, int) and not isinstance(value, bool):
        return None, value, 1
    match = _COUNTED.fullmatch(value) if isinstance(value, str) and len(value) <= 60 else None
    return (match[1], int(match[2]), len(match[2])) if match and len(match[2]) <= 12 else None


def _groups(rows: Sequence[_Example]) -> Iterator[str]:
    names = set.intersection(*(set(row.context.arguments) for row in rows))
    for name in sorted(names):
        values = [row.context.arguments[name] for row in rows]
        if all(isinstance(value, str | int) for value in values) and len(set(map(str, values))) < len(values):
            yield name


def _with_tools(tool: str, rows: Sequence[_Example], group: str | None) -> tuple[int, NextNumber] | None:
    """The tools that together count it on: its own first, then whichever explains more."""
    tools = frozenset({tool})
    right, rule = _fitted(rows, tools, group)
    others = Counter(name for row in rows for name, *_ in row.context.history if name != tool)
    while right < len(rows) and len(tools) < _MOST_TOOLS and group is None:
        tried = [(_fitted(rows, tools | {name}, group), name) for name in sorted(others) if name not in tools]
        if not tried:
            break
        (most, better), name = max(tried, key=lambda one: (one[0][0], one[1]))
        if most <= right:
            break
        right, rule, tools = most, better, tools | {name}
    return (right, rule) if right else None


def _fitted(rows: Sequence[_Example], tools: frozenset[str], group: str | None) -> tuple[int, NextNumber]:
    starts: Counter[int] = Counter()
    by_group: dict[bytes, Counter[int]] = {}
    counted = NextNumber(0, tools, group)
    for row in rows:
        done = counted.value(row.context)
        start = row.number - (done if isinstance(done, int) else 0)
        starts[start] += 1
        if group is not None:
            by_group.setdefault(canonical(row.context.arguments[group]), Counter())[start] += 1
    first, times = starts.most_common(1)[0]
    if group is None or times >= _RIGHT * len(rows):
        return times, NextNumber(first, tools, group)
    firsts = {value: counts.most_common(1)[0][0] for value, counts in by_group.items()}
    several = [counts for counts in by_group.values() if counts.total() > 1]
    right = sum(counts.most_common(1)[0][1] for counts in several)
    return (right if 2 * right > len(rows) else 0), NextNumber(first, tools, group, firsts=firsts)
