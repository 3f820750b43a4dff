"""Explains objects field by field, and a list by another: elements added, replaced or taken away."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, Self

from agent_gym.text import canonical
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr, Path
from agent_gym.tool_mocker.expressions.structures import Appended, AppendedEach, ListOf, Object, Removed, Replaced
from agent_gym.tool_mocker.induction.atoms import Column, Wanted, explains, form
from agent_gym.types import Json

__all__ = ["changed_list", "field_by_field"]


from collections.abc import Iterable

_SHORT = 4  # elements: longer lists are not the same length each time by rule


class Explains(Protocol):
    """Whoever explains the parts: the inducer itself."""

    def explain(self, targets: Sequence[Json], name: str = "") -> Expr | None: ...


def field_by_field(inducer: Explains, wanted: Wanted) -> Expr | None:
    """An object that has the same fields in every example."""
    if not all(isinstance(value, Mapping) or value is MISSING for value in wanted.values):
        return None
    first: Mapping[str, Json] = wanted.known[0]
    if not first or any(value.keys() != first.keys() for value in wanted.known):
        return None
    # Numbers first: the sign of a difference found for one field may decide the word in another.
    in_turn = sorted(first, key=lambda name: not isinstance(first[name], int | float))
    fields = each_field(inducer, in_turn, wanted.values)
    return Object(tuple((name, fields[name]) for name in first)) if fields is not None else None


def each_field(inducer: Explains, names: Iterable[str], values: Sequence[Json]) -> dict[str, Expr] | None:
    """A rule for every field named, or None if one of them has none."""
    fields: dict[str, Expr] = {}
    for name in names:
        rule = inducer.explain([v if v is MISSING else v.get(name, MISSING) for v in values], name)
        if rule is None:
            return None
        fields[name] = rule
    return fields


class _Inducer(Explains, Protocol):
    """The inducer, as lists need it: their elements have contexts of their own."""

    contexts: Sequence[Context]
    columns: list[Column]

    def within(self, contexts: Sequence[Context]) -> Self: ...


class _Base(NamedTuple):
    """A list that the one wanted may have come from, and what it was in every context."""

    path: Path
    lists: Sequence[list[Json]]


def changed_list(inducer: _Inducer, wanted: Wanted) -> Expr | None:
    """Which list of the context it grew from, and how; else each of its few elements by itself."""
    if not all(isinstance(value, list) or value is MISSING for value in wanted.values):
        return None
    lists = [(c.expr, c.values) for c in inducer.columns if isinstance(c.expr, Path) and _holds_list(c)]
    # A field most often grows from what it was itself.
    for path, known in sorted(lists, key=lambda one: one[0].steps[-1:] != (wanted.name,)):
        own = path.steps[-1:] == (wanted.name,)
        old = [[] if own and value is MISSING else value for value in known]
        if all(isinstance(before, list) for before in old) and any(old):
            base = _Base(path, old)
            ids = [given for given, _ in lists if given.root == "argument"]
            found = (
                _grown(inducer, base, wanted) or _replaced(inducer, base, wanted, ids) or _shrunk(inducer, base, wanted)
            )
            if found is not None:
                return found
    lengths = {len(value) for value in wanted.known}
    if len(lengths) == 1 and 0 < (length := lengths.pop()) <= _SHORT:
        return _each(inducer, wanted.values, length)
    return None


def _holds_list(column: Column) -> bool:
    return any(isinstance(value, list) for value in column.values)


def _each(inducer: _Inducer, values: Sequence[Json], length: int) -> ListOf | None:
    items = []
    for at in range(length):
        item = inducer.explain([v if v is MISSING else v[at] for v in values])
        if item is None:
            return None
        items.append(item)
    return ListOf(tuple(items))


def _grown(inducer: _Inducer, base: _Base, wanted: Wanted) -> Expr | None:
    """The list as it was with more at its end: so many elements, or one for each that it had."""
    tails = []
    for before, after in zip(base.lists, wanted.values, strict=True):
        if after is MISSING or len(after) <= len(before) or canonical(after[: len(before)]) != canonical(before):
            return None
        tails.append(after[len(before) :])
    lengths = {len(tail) for tail in tails}
    tail = _each(inducer, tails, lengths.pop()) if len(lengths) == 1 else None
    if tail is not None:
        return Appended(base.path, tail)
    if any(len(tail) != len(before) for tail, before in zip(tails, base.lists, strict=True)):
        return None
    rows = [
        (replace(context, element=element), made)
        for context, before, tail in zip(inducer.contexts, base.lists, tails, strict=True)
        for element, made in zip(before, tail, strict=True)
    ]
    item = inducer.within([context for context, _ in rows]).explain([made for _, made in rows])
    return AppendedEach(base.path, item) if item is not None else None


def _replaced(inducer: _Inducer, base: _Base, wanted: Wanted, ids: Sequence[Path]) -> Expr | None:
    """The list with the elements that some ids name in the place of those that others name."""
    if any(v is MISSING or len(v) != len(o) for v, o in zip(wanted.values, base.lists, strict=True)):
        return None
    for gone in ids:
        for come in ids:
            for key in _key_names(base.lists) if gone != come else ():
                rows = _successions(inducer.contexts, base, wanted, (gone, come), key)
                item = _element(inducer, rows) if rows else None
                if item is not None:
                    return Replaced(base.path, key, gone, come, item)
    return None


def _key_names(lists: Sequence[list[Json]]) -> list[str]:
    first = next((e for items in lists for e in items if isinstance(e, Mapping)), {})
    return [name for name, value in first.items() if isinstance(value, str | int)]


def _successions(
    contexts: Sequence[Context], base: _Base, wanted: Wanted, ids: tuple[Path, Path], key: str
) -> list[tuple[Context, Json]] | None:
    """(context of a replaced element, what it became), or None if the ids do not say which are replaced."""
    rows = []
    for context, before, after in zip(contexts, base.lists, wanted.values, strict=True):
        gone, come = (path.value(context) for path in ids)
        if not isinstance(gone, list) or not isinstance(come, list) or len(gone) != len(come):
            return None
        pairs = list(zip(gone, come, strict=True))
        for element, made in zip(before, after, strict=True):
            name = element.get(key) if isinstance(element, Mapping) else None
            at = next((i for i, (old, _) in enumerate(pairs) if old == name), None)
            if at is not None:
                old, new = pairs.pop(at)
                rows.append((replace(context, element=element, pair={"old": old, "new": new}), made))
            elif canonical(element) != canonical(made):
                return None
    return rows


def _element(inducer: _Inducer, rows: Sequence[tuple[Context, Json]]) -> Expr | None:
    """What an element became: its fields that changed, over the element as it was."""
    inner = inducer.within([context for context, _ in rows])
    rows = rows[: len(inner.contexts)]
    made = [after for _, after in rows]
    if not all(isinstance(after, Mapping) and isinstance(c.element, Mapping) for c, after in rows):
        return inner.explain(made)
    changed = {n for c, after in rows for n in after if n not in c.element or form(after[n]) != form(c.element[n])}
    fields = each_field(inner, sorted(changed), made)
    return Object(tuple(fields.items()), Path("element", ())) if fields is not None else None


def _shrunk(inducer: _Inducer, base: _Base, wanted: Wanted) -> Expr | None:
    """The list without the elements that an argument names."""
    if not all(v is not MISSING and len(v) < len(o) for v, o in zip(wanted.values, base.lists, strict=True)):
        return None
    for column in inducer.columns:
        if isinstance(column.expr, Path) and column.expr.root == "argument":
            for key in (None, *_key_names(base.lists)):
                rule = Removed(base.path, key, column.expr)
                if explains(rule, inducer.contexts, wanted):
                    return rule
    return None
