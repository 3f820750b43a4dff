"""Refused and accepted calls in, the conditions that may tell them apart out: what a refusal could rest on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent_gym.text import canonical
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr, Lookup, Path, Total, Unary, is_number
from agent_gym.tool_mocker.expressions.predicates import (
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
from agent_gym.tool_mocker.induction.atoms import Form, TablesOf, atoms_of, form
from agent_gym.types import Json

__all__ = ["conditions", "exceptions"]


_FEW_VALUES = 6
_FEW_SHAPES = 3


def conditions(
    refused: Sequence[Context], accepted: Sequence[Context], tables_of: TablesOf, *, writes: bool
) -> Iterator[Predicate]:
    """Every condition worth trying, in an order that depends on nothing but the calls."""
    atoms = atoms_of([*refused[:6], *accepted[:6]], tables_of)
    yield from _not_among(atoms, refused, accepted)
    yield from _misshapen(atoms, accepted)
    if writes:
        yield from (NotYet(tool) for tool in sorted({tool for c in accepted[:20] for tool in c.done}))
        # What a look-up does not find may just never have been looked up: `missing` counts that.
        yield from _unnamed(atoms, accepted, tables_of)
    yield from _memberships(atoms, refused)
    yield from _comparisons(atoms, refused)


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
        good = _few(value for c in accepted if (value := atom.value(c)) is not MISSING)
        if good and len(good) * 3 <= max(3, len(accepted)):
            texts = {canonical(value): value for c in refused if isinstance(value := atom.value(c), str)}
            bad = sorted(texts.keys() - good.keys())
            yield NotAmong(atom, tuple(good[form] for form in sorted(good)), tuple(texts[form] for form in bad))


def _few(values: Iterable[Json]) -> dict[bytes, Json]:
    """The different ones of some scalars, or none where there are many."""
    found: dict[bytes, Json] = {}
    for value in values:
        if isinstance(value, Mapping | list):
            return {}
        found.setdefault(canonical(value), value)
        # Numbers that happened to be seen are no list of the allowed ones; that there must be just one may be.
        if len(found) > (1 if is_number(value) else _FEW_VALUES):
            return {}
    return found


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
    """Pairs of values, one of them the call's, that compare alike in enough of the refused calls."""
    columns: list[tuple[Expr, Sequence[Json], Sequence[Form]]] = []
    if len(refused) == 1:  # of a single call anything is true: only two of its own arguments may tell something
        atoms = [atom for atom in atoms if isinstance(atom, Path) and atom.root == "argument"]
    for atom in atoms:
        values = [atom.value(context) for context in refused]
        first = next((value for value in values if value is not MISSING), None)
        if first is not None and not isinstance(first, Mapping | list):
            columns.append((atom, values, [form(value) for value in values]))
    for left, mine, own_forms in columns:
        for right, other, forms in columns if _of_call(left) else ():
            if left is right:
                continue
            numbers = [(a, b) for a, b in zip(mine, other, strict=True) if is_number(a) and is_number(b)]
            if numbers and 2 * sum(a < b for a, b in numbers) >= len(numbers):
                yield Compared(left, right)
            if numbers and 2 * sum(b < a for a, b in numbers) >= len(numbers):
                yield Compared(right, left)
            both = [a == b for a, b in zip(own_forms, forms, strict=True) if a is not None and b is not None]
            if both and 2 * both.count(False) >= len(both) and _of_one_type(mine, other):
                yield Equal(left, right, "is not")
            if both and 2 * sum(both) >= len(both):
                yield Equal(left, right, "is")


def _of_one_type(left: Sequence[Json], right: Sequence[Json]) -> bool:
    return any(type(a) is type(b) for a, b in zip(left, right, strict=True))


def _of_call(atom: Expr) -> bool:
    """Whether the agent had a say in the value."""
    if isinstance(atom, Path):
        return atom.root == "argument"
    if isinstance(atom, Total):
        return _of_call(atom.items)
    if isinstance(atom, Unary):
        return _of_call(atom.inner)
    return isinstance(atom, Lookup) and _of_call(atom.key)
