"""Refused and accepted calls in, the conditions that may tell them apart out: what a refusal could rest on."""

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.atoms import TablesOf, atoms_of
from agent_gym.tool_mocker.rules.context import MISSING, Context, is_number
from agent_gym.tool_mocker.rules.expressions import Expr, Lookup, Path, Total, Unary
from agent_gym.tool_mocker.rules.limits import Beyond, Unless, measured
from agent_gym.tool_mocker.rules.predicates import (
    Compared,
    Equal,
    Misshapen,
    NotAmong,
    NotMember,
    NotYet,
    Predicate,
    Unnamed,
    shape,
)
from agent_gym.types import Json

__all__ = ["conditions", "exceptions"]

_FEW_VALUES = 6
_FEW_SHAPES = 3
_MIN_MEASURED = 5  # accepted calls that show on which side of a limit they are


def conditions(
    refused: Sequence[Context], accepted: Sequence[Context], tables_of: TablesOf, *, writes: bool
) -> Iterator[Predicate]:
    """Every condition worth trying, in an order that depends on nothing but the calls."""
    atoms = atoms_of([*refused[:6], *accepted[:6]], tables_of)
    yield from _not_among(atoms, refused, accepted)
    yield from _misshapen(atoms, accepted)
    if writes:
        yield from (NotYet(tool) for tool in sorted({tool for c in accepted[:20] for tool in c.done}))
        # What a look-up does not find may just never have been looked up: `absence` counts that.
        yield from _unnamed(atoms, accepted, tables_of)
    yield from _memberships(atoms, refused)
    yield from _comparisons(atoms, refused)
    yield from _beyond(atoms, refused, accepted)
    for argument in _lifting(refused, accepted):
        rest = [context for context in accepted if argument not in context.arguments]
        yield from (Unless(argument, limit) for limit in _beyond(atoms, refused, rest))


def exceptions(
    about: Expr, refused: Sequence[Context], excepted: Sequence[Context], accepted: Sequence[Context], of: TablesOf
) -> Iterator[Predicate]:
    """What is true of a value in the excepted ones of the accepted calls, and in no refused call."""
    for condition in _not_among(atoms_of([*refused[:6], *excepted[:6]], of), refused, excepted):
        seen = Counter(canonical(condition.inner.value(context)) for context in accepted)
        # A value that only one call had would be that call's own name, not what makes it an exception.
        if about.words() in condition.inner.words() and all(seen[canonical(v)] > 1 for v in condition.accepted):
            yield condition


def _not_among(atoms: Sequence[Expr], refused: Sequence[Context], accepted: Sequence[Context]) -> Iterator[NotAmong]:
    """Values that accepted calls share few of."""
    for atom in atoms:
        good = {canonical(value): value for c in accepted if (value := atom.value(c)) is not MISSING}
        scalar = all(not isinstance(value, Mapping | list) for value in good.values())
        # Sizes and sums that happened to be seen are no list of the allowed ones; that there must be just one may be.
        most = 1 if isinstance(atom, Unary | Total) else _FEW_VALUES
        if scalar and 0 < len(good) <= most and len(good) * 3 <= max(3, len(accepted)):
            texts = {canonical(value): value for c in refused if isinstance(value := atom.value(c), str)}
            bad = sorted(texts.keys() - good.keys())
            yield NotAmong(atom, tuple(good[form] for form in sorted(good)), tuple(texts[form] for form in bad))


def _misshapen(atoms: Sequence[Expr], accepted: Sequence[Context]) -> Iterator[Predicate]:
    for atom in atoms:
        if isinstance(atom, Path) and atom.root == "argument":
            values = [value for c in accepted if isinstance(value := atom.value(c), str | int)]
            shapes = frozenset(shape(str(value)) for value in values)
            if 0 < len(shapes) <= _FEW_SHAPES and len(values) >= 5:
                yield Misshapen(atom, shapes)


def _unnamed(atoms: Sequence[Expr], accepted: Sequence[Context], tables_of: TablesOf) -> Iterator[Predicate]:
    for atom in atoms:
        if isinstance(atom, Path) and atom.root == "argument" and len(atom.steps) == 1:
            values = [v for c in accepted[:6] if (v := atom.value(c)) is not MISSING]
            ids = [one for v in values for one in (v if isinstance(v, list) else [v]) if isinstance(one, str | int)]
            for table in sorted({table for one in ids for table in tables_of(str(one))}):
                yield Unnamed(atom, table)


def _memberships(atoms: Sequence[Expr], refused: Sequence[Context]) -> Iterator[Predicate]:
    given = [
        a for a in atoms if isinstance(a, Path) and a.root == "argument" and -1 not in a.steps and 0 not in a.steps
    ]
    for collection in atoms:
        if isinstance(collection, Path) and collection.root == "argument":
            continue
        value = _first_value(collection, refused)
        fields: tuple[str | None, ...] = (None,)
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            fields = tuple(name for name, inner in value[0].items() if isinstance(inner, str | int))
        elif not isinstance(value, list | Mapping):
            continue
        for inner in given:
            yield from (NotMember(inner, collection, name) for name in fields)


def _first_value(atom: Expr, contexts: Sequence[Context]) -> Json:
    return next((value for c in contexts if (value := atom.value(c)) is not MISSING), None)


def _comparisons(atoms: Sequence[Expr], refused: Sequence[Context]) -> Iterator[Predicate]:
    scalars: list[tuple[Expr, Json]] = []
    for atom in atoms:
        value = _first_value(atom, refused)
        if value is not None and not isinstance(value, Mapping | list):
            scalars.append((atom, value))
    given = [(a, v) for a, v in scalars if _of_call(a)]
    for left, mine in given:
        for right, other in scalars:
            if left is right:
                continue
            if is_number(mine) and is_number(other):
                yield Compared(right, left)
                yield Compared(left, right)
            if type(mine) is type(other):
                yield Equal(left, right, "is not")
                yield Equal(left, right, "is")


def _beyond(atoms: Sequence[Expr], refused: Sequence[Context], accepted: Sequence[Context]) -> Iterator[Predicate]:
    """Limits between what was accepted and what was refused, halfway."""
    for atom in atoms:
        bad = [value for context in refused if (value := measured(atom.value(context))) is not None]
        if not bad:
            continue
        below, above = _beside(atom, accepted, min(bad), max(bad))
        if len(below) >= _MIN_MEASURED and not above:
            yield Beyond(atom, "above", _halfway(max(below), min(bad)))
        elif len(above) >= _MIN_MEASURED and not below:
            yield Beyond(atom, "below", _halfway(max(bad), min(above)))


def _beside(
    atom: Expr, contexts: Sequence[Context], low: float, high: float
) -> tuple[list[float | int], list[float | int]]:
    """The values below a range and those above it; none at all as soon as one is within it or of another type."""
    below: list[float | int] = []
    above: list[float | int] = []
    for context in contexts:
        value = measured(atom.value(context))
        if value is None:
            continue
        if type(value) is not type(low) or low <= value <= high or (below and above):
            return [], []
        (below if value < low else above).append(value)
    return below, above


def _halfway(low: float | int, high: float | int) -> Json:
    middle = (low + high) / 2
    return middle if isinstance(low, float) else datetime.date.fromordinal(int(middle)).isoformat()


def _lifting(refused: Sequence[Context], accepted: Sequence[Context]) -> list[str]:
    """Arguments that some accepted calls gave and no refused one did."""
    given = {name for context in accepted for name, value in context.arguments.items() if value is True}
    return sorted(given - {name for context in refused for name in context.arguments})


def _of_call(atom: Expr) -> bool:
    """Whether the agent had a say in the value."""
    if isinstance(atom, Path):
        return atom.root == "argument"
    if isinstance(atom, Total):
        return _of_call(atom.items)
    if isinstance(atom, Unary):
        return _of_call(atom.inner)
    return isinstance(atom, Lookup) and _of_call(atom.key)
