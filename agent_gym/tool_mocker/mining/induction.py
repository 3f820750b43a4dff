"""Contexts and the values they led to in, the simplest rule that explains them out.

Simplest first: a value of the call, a constant, a value of the record, then numbers combined, texts with
places, objects field by field, lists with elements added, replaced or taken away. A rule must explain every
example of a small set and nearly every one of a large set.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.atoms import TablesOf, atoms_of
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Binary, Choice, Const, Expr, Mapped, Path, Template, Unary
from agent_gym.tool_mocker.rules.structures import Appended, AppendedEach, ListOf, Object, Removed, Replaced
from agent_gym.types import Json

__all__ = ["Inducer"]

_NEARLY_ALL = 0.9
_MOST_EXAMPLES = 60
_DEPTH = 4


class Inducer:
    """Explains values by what their contexts hold. One for each set of contexts."""

    def __init__(self, contexts: Sequence[Context], tables_of: TablesOf, depth: int = 0) -> None:
        self.contexts = list(contexts[:_MOST_EXAMPLES])
        self.tables_of = tables_of
        self.depth = depth
        self.atoms = atoms_of(self.contexts, tables_of)
        self._values = [[atom.value(context) for context in self.contexts] for atom in self.atoms]
        self._forms = [[_form(value) for value in row] for row in self._values]
        self._signed: list[Expr] = []  # differences found on the way: their signs often decide a word

    def learn(self, rule: Expr) -> None:
        """Let later rules build on one that was found."""
        values = [rule.value(context) for context in self.contexts]
        self.atoms.append(rule)
        self._values.append(values)
        self._forms.append([_form(value) for value in values])

    def explain(self, targets: Sequence[Json], name: str = "") -> Expr | None:
        """The rule for one value; `targets` go with the contexts, MISSING where there is none."""
        targets = list(targets[:_MOST_EXAMPLES])
        forms = [_form(target) for target in targets]
        known = [form for form in forms if form is not None]
        if not known:
            return None
        return (
            self._simple(targets, forms, name)
            or self._number(targets)
            or self._word(targets, forms)
            or self._text(targets)
            or self._object(targets)
            or self._list(targets, name)
        )

    def _simple(self, targets: Sequence[Json], forms: Sequence[bytes | None], name: str) -> Expr | None:
        """A value of the call, a constant, or a value of anything else: whichever explains most, in this order."""
        known = [form for form in forms if form is not None]
        found = [self._same_as(forms, name, "argument", "pair")]
        if len(set(known)) == 1:
            found.append((Const(next(t for t in targets if t is not MISSING)), len(known)))
        found.append(self._same_as(forms, name))
        rules = [rule for rule in found if rule is not None]
        return max(rules, key=lambda rule: rule[1])[0] if rules else None

    def _same_as(self, forms: Sequence[bytes | None], name: str, *roots: str) -> tuple[Expr, int] | None:
        """The atom that has the very value most often; a call's own argument only if it varies or bears the name."""
        best: tuple[Expr, int] | None = None
        for atom, row in zip(self.atoms, self._forms, strict=True):
            if roots and not (isinstance(atom, Path) and atom.root in roots):
                continue
            hits = _agreed(row, forms)
            if hits is None or (best is not None and hits <= best[1]):
                continue
            if not roots or len(set(row)) > 1 or (isinstance(atom, Path) and atom.steps and atom.steps[-1] == name):
                best = (atom, hits)
        return best

    def _number(self, targets: Sequence[Json]) -> Expr | None:
        """A number from one or two others."""
        wanted = _numbers(targets)
        if wanted is None or len(targets) < 2:
            return None
        names, columns = self._numeric()
        if not names:
            return None
        for at, expr in enumerate(names):
            if _close(-columns[at], wanted):
                return Unary("minus", expr)
            if _close(np.abs(columns[at]), wanted):
                return Unary("size of", expr)
        for left, right in _pairs(len(names)):
            a, b = columns[left], columns[right]
            if _close(a - b, wanted):
                return self._keep(Binary("-", names[left], names[right]))
            if _close(np.abs(a - b), wanted):
                return Unary("size of", self._keep(Binary("-", names[left], names[right])))
            if left < right and _close(a + b, wanted):
                return Binary("+", names[left], names[right])
            if left <= right and len(targets) > 2 and _close(a * b, wanted):
                return Binary("*", names[left], names[right])
            if len(targets) > 2 and _close(np.round(a * (100 - b) / 100, 2), wanted):
                return Binary("less %", names[left], names[right])
        return None

    def _keep(self, difference: Expr) -> Expr:
        self._signed.append(difference)
        return difference

    def _numeric(self) -> tuple[list[Expr], list[NDArray[np.float64]]]:
        names, columns, seen = [], [], set()
        for atom, row in zip(self.atoms, self._values, strict=True):
            column = _numbers(row)
            if column is not None and column.tobytes() not in seen:
                seen.add(column.tobytes())
                names.append(atom)
                columns.append(column)
        return names, columns

    def _word(self, targets: Sequence[Json], forms: Sequence[bytes | None]) -> Expr | None:
        """One of a few constants: by the sign of a number, or by the value of something else."""
        counts = Counter(form for form in forms if form is not None)
        if len(counts) > 12 or any(isinstance(t, Mapping | list) for t in targets):
            return None
        if len(counts) == 2:
            found = self._by_sign(targets, forms)
            if found is not None:
                return found
        for atom, row in zip(self.atoms, self._forms, strict=True):
            table: dict[bytes, Counter[bytes]] = {}
            for key, form in zip(row, forms, strict=True):
                if key is not None and form is not None:
                    table.setdefault(key, Counter())[form] += 1
            seen = sum(c.total() for c in table.values())
            right = sum(max(c.values()) for c in table.values())
            # Many keys with one example each would be a look-up table of the past, not a rule.
            if seen == counts.total() and right >= _needed(seen) and 2 * len(table) <= seen and len(table) > 1:
                constants = {form: t for t, form in zip(targets, forms, strict=True) if form is not None}
                return Mapped(atom, {key: constants[c.most_common(1)[0][0]] for key, c in table.items()})
        return None

    def _by_sign(self, targets: Sequence[Json], forms: Sequence[bytes | None]) -> Expr | None:
        names, columns = self._numeric()
        singles = list(zip(names, columns, strict=True))
        pairs = [(e, c) for e in self._signed if (c := _numbers([e.value(x) for x in self.contexts])) is not None]
        for expr, column in (*pairs, *singles):
            above = [form for form, number in zip(forms, column, strict=True) if number > 1e-9]
            below = [form for form, number in zip(forms, column, strict=True) if number <= 1e-9]
            if above and below and len(set(above)) == len(set(below)) == 1 and above[0] != below[0]:
                return Choice(expr, targets[forms.index(above[0])], targets[forms.index(below[0])])
        return None

    def _text(self, targets: Sequence[Json]) -> Expr | None:
        """A sentence in which values of the context stand."""
        if not all(isinstance(target, str) or target is MISSING for target in targets):
            return None
        for at, target in enumerate(targets):
            if target is MISSING or len(target) > 500:
                continue
            template = self._template(target, at)
            if template is not None and self.fits(template, targets):
                return template
            if at >= 3:
                break
        return None

    def _template(self, target: str, at: int) -> Template | None:
        taken: list[tuple[int, int, Expr]] = []
        for atom, row in zip(self.atoms, self._values, strict=True):
            value = row[at]
            if isinstance(value, bool) or not isinstance(value, str | int | float) or str(value) == "":
                continue
            start = target.find(str(value))
            end = start + len(str(value))
            if start >= 0 and not any(start < e and s < end for s, e, _ in taken):
                taken.append((start, end, atom))
        if not taken:
            return None
        parts: list[str | Expr] = []
        place = 0
        for start, end, atom in sorted(taken, key=lambda item: item[0]):
            parts += [target[place:start], atom]
            place = end
        return Template((*(p for p in parts if p != ""), *([target[place:]] if target[place:] else [])))

    def _object(self, targets: Sequence[Json]) -> Expr | None:
        if self.depth >= _DEPTH or not all(isinstance(t, Mapping) or t is MISSING for t in targets):
            return None
        found = [t for t in targets if t is not MISSING]
        names = list(found[0])
        if not names or any(set(t) != set(names) for t in found):
            return None
        fields = {}
        # Numbers first: the sign of a difference found for one field may decide the word in another.
        for name in sorted(names, key=lambda n: not isinstance(found[0][n], int | float)):
            inner = self.explain([t if t is MISSING else t[name] for t in targets], name)
            if inner is None:
                return None
            fields[name] = inner
        return Object(tuple((name, fields[name]) for name in names))

    def _list(self, targets: Sequence[Json], name: str) -> Expr | None:
        if self.depth >= _DEPTH or not all(isinstance(t, list) or t is MISSING for t in targets):
            return None
        lists = [
            a for a in self.atoms if isinstance(a, Path) and any(isinstance(a.value(c), list) for c in self.contexts)
        ]
        # A field most often grows from what it was itself.
        for base in sorted(lists, key=lambda path: path.steps[-1:] != (name,)):
            old = [base.value(context) for context in self.contexts]
            if all(isinstance(o, list) for o in old) and any(old):
                found = (
                    self._grown(base, old, targets)
                    or self._replaced(base, old, targets, lists)
                    or self._shrunk(base, old, targets)
                )
                if found is not None:
                    return found
        lengths = {len(t) for t in targets if t is not MISSING}
        if len(lengths) == 1 and 0 < next(iter(lengths)) <= 4:
            return self._each(targets, next(iter(lengths)))
        return None

    def _each(self, targets: Sequence[Json], length: int) -> ListOf | None:
        items = []
        for at in range(length):
            item = self.explain([t if t is MISSING else t[at] for t in targets])
            if item is None:
                return None
            items.append(item)
        return ListOf(tuple(items))

    def _grown(self, base: Path, old: Sequence[list[Json]], targets: Sequence[Json]) -> Expr | None:
        tails = []
        for before, after in zip(old, targets, strict=True):
            if after is MISSING or len(after) <= len(before) or canonical(after[: len(before)]) != canonical(before):
                return None
            tails.append(after[len(before) :])
        lengths = {len(tail) for tail in tails}
        if len(lengths) == 1:
            tail = self._each(tails, next(iter(lengths)))
            if tail is not None:
                return Appended(base, tail)
        if all(len(tail) == len(before) for tail, before in zip(tails, old, strict=True)):
            rows = [
                (replace(context, element=element), made)
                for context, before, tail in zip(self.contexts, old, tails, strict=True)
                for element, made in zip(before, tail, strict=True)
            ]
            item = self._inner(rows)
            return AppendedEach(base, item) if item is not None else None
        return None

    def _inner(self, rows: Sequence[tuple[Context, Json]]) -> Expr | None:
        inner = Inducer([context for context, _ in rows], self.tables_of, self.depth + 1)
        return inner.explain([made for _, made in rows])

    def _replaced(
        self, base: Path, old: Sequence[list[Json]], targets: Sequence[Json], lists: Sequence[Path]
    ) -> Expr | None:
        if any(t is MISSING or len(t) != len(o) for t, o in zip(targets, old, strict=True)):
            return None
        ids = [p for p in lists if p.root == "argument"]
        for gone in ids:
            for come in ids:
                if gone == come:
                    continue
                for key in _key_names(old):
                    rows = self._pairs_of(old, targets, gone, come, key)
                    if rows is None:
                        continue
                    item = self._inner_over(rows)
                    if item is not None:
                        return Replaced(base, key, gone, come, item)
        return None

    def _pairs_of(
        self, old: Sequence[list[Json]], targets: Sequence[Json], gone: Path, come: Path, key: str
    ) -> list[tuple[Context, Json]] | None:
        """(context of a replaced element, what it became), or None if the ids do not say which are replaced."""
        rows = []
        for context, before, after in zip(self.contexts, old, targets, strict=True):
            olds, news = gone.value(context), come.value(context)
            if not isinstance(olds, list) or not isinstance(news, list) or len(olds) != len(news):
                return None
            pairs = list(zip(olds, news, strict=True))
            for element, made in zip(before, after, strict=True):
                name = element.get(key) if isinstance(element, Mapping) else None
                at = next((i for i, (o, _) in enumerate(pairs) if o == name), None)
                if at is None:
                    if canonical(element) != canonical(made):
                        return None
                    continue
                o, n = pairs.pop(at)
                rows.append((replace(context, element=element, pair={"old": o, "new": n}), made))
        return rows or None

    def _inner_over(self, rows: Sequence[tuple[Context, Json]]) -> Expr | None:
        """What an element became: its fields that changed, over the element as it was."""
        inner = Inducer([context for context, _ in rows], self.tables_of, self.depth + 1)
        rows = rows[:_MOST_EXAMPLES]
        if not all(isinstance(made, Mapping) and isinstance(c.element, Mapping) for c, made in rows):
            return inner.explain([made for _, made in rows])
        names = sorted(
            {n for c, made in rows for n in made if n not in c.element or _form(made[n]) != _form(c.element[n])}
        )
        fields = []
        for name in names:
            rule = inner.explain([made.get(name, MISSING) for _, made in rows], name)
            if rule is None:
                return None
            fields.append((name, rule))
        return Object(tuple(fields), Path("element", ()))

    def _shrunk(self, base: Path, old: Sequence[list[Json]], targets: Sequence[Json]) -> Expr | None:
        if not all(t is not MISSING and len(t) < len(o) for t, o in zip(targets, old, strict=True)):
            return None
        for atom in self.atoms:
            if isinstance(atom, Path) and atom.root == "argument":
                for key in (None, *_key_names(old)):
                    rule = Removed(base, key, atom)
                    if self.fits(rule, targets):
                        return rule
        return None

    def fits(self, rule: Expr, targets: Sequence[Json]) -> bool:
        found = [_form(rule.value(context)) for context in self.contexts]
        return _agreed(found, [_form(target) for target in targets]) is not None


def _needed(n: int) -> int:
    """How many of n examples a rule must explain."""
    return n if n < 10 else math.ceil(_NEARLY_ALL * n)


def _agreed(found: Sequence[bytes | None], wanted: Sequence[bytes | None]) -> int | None:
    """How many examples a rule explains, or None if it is none: where it finds nothing it is silent, not wrong."""
    n = sum(form is not None for form in wanted)
    spoken = [
        (value, form) for value, form in zip(found, wanted, strict=True) if value is not None and form is not None
    ]
    hits = sum(value == form for value, form in spoken)
    return hits if _enough(len(spoken), n, hits) and hits >= _needed(len(spoken)) else None


def _enough(spoken: int, n: int, hits: int) -> bool:
    """Whether a rule speaks for enough examples: most of them, or a quarter if it is never wrong."""
    return 2 * spoken > n or (spoken >= 3 and 4 * spoken >= n and hits == spoken)


def _form(value: Json) -> bytes | None:
    return None if value is MISSING else canonical(value)


def _numbers(values: Sequence[Json]) -> NDArray[np.float64] | None:
    """The values as numbers, NaN where missing; None if they are something else or mostly missing."""
    out = np.full(len(values), np.nan)
    for at, value in enumerate(values):
        if isinstance(value, bool | str | Mapping | list):
            return None
        if isinstance(value, int | float) and math.isfinite(value):
            out[at] = value
    return out if np.isfinite(out).mean() >= 0.25 else None


def _close(found: NDArray[np.float64], wanted: NDArray[np.float64]) -> bool:
    known = np.isfinite(wanted) & np.isfinite(found)
    spoken = int(known.sum())
    hits = int(np.sum(np.abs(found[known] - wanted[known]) < 1e-6))
    return _enough(spoken, int(np.isfinite(wanted).sum()), hits) and hits >= max(2, _needed(spoken))


def _pairs(n: int) -> Iterator[tuple[int, int]]:
    return (
        (a, b)
        for total in range(2 * n - 1)
        for a in range(max(0, total - n + 1), min(n, total + 1))
        for b in (total - a,)
    )


def _key_names(lists: Sequence[list[Json]]) -> list[str]:
    first = next((e for items in lists for e in items if isinstance(e, Mapping)), {})
    return [name for name, value in first.items() if isinstance(value, str | int)]
