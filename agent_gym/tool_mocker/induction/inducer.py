"""Induction: contexts and the values they led to in, the simplest rule that explains them out.

The simplest idea is tried first: a value that stands elsewhere, then arithmetic (`numbers`), words and sentences
(`texts`), ids that are counted (`counting`), objects and lists (`structures`). `atoms` has what rules are made of, and
when one counts as an explanation.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

from agent_gym.tool_mocker.expressions.counting import FirstKnown
from agent_gym.tool_mocker.expressions.language import (
    Const,
    Context,
    Expr,
    Given,
    Mapped,
    Path,
)
from agent_gym.tool_mocker.induction.atoms import Column, TablesOf, Wanted, agreed, atoms_of, needed
from agent_gym.tool_mocker.induction.counting import commonest_number, counted_up
from agent_gym.tool_mocker.induction.numbers import by_sign, combined, difference_in
from agent_gym.tool_mocker.induction.structures import changed_list, field_by_field
from agent_gym.tool_mocker.induction.texts import template
from agent_gym.tool_mocker.kinds import words_of
from agent_gym.types import Json

__all__ = ["Inducer"]


_MOST_EXAMPLES = 60  # more teach a rule nothing new, and cost time
_DEPTH = 4  # lists within lists
_FEW_WORDS = 12


class Inducer:
    """Explains values by what their contexts hold. One for each set of contexts."""

    def __init__(self, contexts: Sequence[Context], tables_of: TablesOf, depth: int = 0) -> None:
        self.contexts: Sequence[Context] = contexts[:_MOST_EXAMPLES]
        atoms = [*atoms_of(self.contexts, tables_of), *_sometimes_given(self.contexts)]
        self.columns = [Column.of(atom, self.contexts) for atom in atoms]
        self._tables_of = tables_of
        self._depth = depth
        self._differences: list[Column] = []  # found on the way: their signs often decide a word

    def explain(self, targets: Sequence[Json], name: str = "") -> Expr | None:
        """The rule for one value; `targets` go with the contexts, MISSING where there is none."""
        wanted = Wanted.of(targets[:_MOST_EXAMPLES], name)
        if not wanted.known:
            return None
        return (
            _same_as(self.columns, wanted)
            or self._number(wanted)
            or self._word(wanted)
            or self._text(wanted)
            or (self._structure(wanted) if self._depth < _DEPTH else None)
        )

    def guess(self, targets: Sequence[Json]) -> Expr | None:
        """What the value most often is, where no rule explains it."""
        wanted = Wanted.of(targets[:_MOST_EXAMPLES], "")
        return _mostly(self.columns, wanted) or _usual(wanted) or commonest_number(self.columns, wanted, self.contexts)

    def learn(self, rule: Expr) -> None:
        """Let later rules build on one that was found."""
        self.columns.append(Column.of(rule, self.contexts))

    def within(self, contexts: Sequence[Context]) -> Self:
        """Explains what became of the elements of a list, each in a context of its own."""
        return type(self)(contexts, self._tables_of, self._depth + 1)

    def _number(self, wanted: Wanted) -> Expr | None:
        rule = combined(self.columns, wanted)
        difference = difference_in(rule)
        if difference is not None:
            self._differences.append(Column.of(difference, self.contexts))
        return rule

    def _word(self, wanted: Wanted) -> Expr | None:
        """One of a few constants: by the sign of a number, or by the value of something else."""
        if not _is_word(wanted):
            return None
        return by_sign([*self._differences, *self.columns], wanted) or _mapped(self.columns, wanted)

    def _text(self, wanted: Wanted) -> Expr | None:
        """A sentence with values in place; or an id counted up, where that is known."""
        sentence = template(self.columns, wanted, self.contexts)
        counted = counted_up(self.columns, wanted, self.contexts, self._tables_of)
        return FirstKnown(counted, sentence) if counted is not None and sentence is not None else counted or sentence

    def _structure(self, wanted: Wanted) -> Expr | None:
        return field_by_field(self, wanted) or changed_list(self, wanted)


def _sometimes_given(contexts: Sequence[Context]) -> list[Given]:
    """Arguments that some calls give and others leave out: that alone may decide a value."""
    names = [frozenset(context.arguments) for context in contexts]
    return [Given(name) for name in sorted(frozenset[str]().union(*names)) if not all(name in given for given in names)]


def _same_as(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """A value of the call, a constant, or a value of anything else: whichever explains most, in this order."""
    given = [column for column in columns if _varies_or_bears_the_name(column, wanted.name)]
    found = [_best(given, wanted)]
    if len({form for form in wanted.forms if form is not None}) == 1:
        found.append((Const(wanted.known[0]), len(wanted.known)))
    found.append(_best(columns, wanted))
    rules = [rule for rule in found if rule is not None]
    return max(rules, key=lambda rule: rule[1])[0] if rules else None


def _varies_or_bears_the_name(column: Column, name: str) -> bool:
    """An argument that is the same in every call explains a constant no better than the constant does."""
    path = column.expr
    if not isinstance(path, Path) or path.root not in ("argument", "pair"):
        return False
    last = path.steps[-1]
    named = isinstance(last, str) and bool(name) and set(words_of(name)) <= set(words_of(last))
    return len(set(column.forms)) > 1 or named


def _best(columns: Sequence[Column], wanted: Wanted) -> tuple[Expr, int] | None:
    """The expression that has the very value most often, among equals the first; and how often."""
    best: tuple[Expr, int] | None = None
    for column in columns:
        hits = agreed(column.forms, wanted.forms)
        if hits is not None and (best is None or hits > best[1]):
            best = (column.expr, hits)
    return best


def _mostly(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """What at least half of the examples repeat of the call or its record, and that is not the same in all of them."""
    best: tuple[int, Expr] | None = None
    for column in columns:
        pairs = zip(column.forms, wanted.forms, strict=True)
        hits = [form for have, form in pairs if have == form and form is not None]
        if len(set(hits)) > 1 and 2 * len(hits) >= len(wanted.known) and (best is None or len(hits) > best[0]):
            best = (len(hits), column.expr)
    return best[1] if best is not None else None


def _usual(wanted: Wanted) -> Expr | None:
    """A scalar that at least half of the examples have."""
    scalars = {f: v for v, f in zip(wanted.values, wanted.forms, strict=True) if not isinstance(v, Mapping | list)}
    counts = Counter(form for form in wanted.forms if form is not None and form in scalars)
    form, times = counts.most_common(1)[0] if counts else (b"", 0)
    return Const(scalars[form]) if times and 2 * times >= len(wanted.values) else None


def _is_word(wanted: Wanted) -> bool:
    """Whether the values are a few scalars that come again."""
    scalar = not any(isinstance(value, Mapping | list) for value in wanted.values)
    return scalar and len(set(wanted.forms) - {None}) <= _FEW_WORDS


def _mapped(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """A constant for each value of another expression."""
    constants = {form: v for v, form in zip(wanted.values, wanted.forms, strict=True) if form is not None}
    for column in columns:
        votes: dict[bytes, Counter[bytes]] = {}
        for key, form in zip(column.forms, wanted.forms, strict=True):
            if key is not None and form is not None:
                votes.setdefault(key, Counter())[form] += 1
        seen = sum(counts.total() for counts in votes.values())
        right = sum(max(counts.values()) for counts in votes.values())
        # Many keys with one example each would be a look-up table of the past, not a rule.
        if seen == len(wanted.known) and right >= needed(seen) and 1 < len(votes) <= seen / 2:
            return Mapped(column.expr, {key: constants[counts.most_common(1)[0][0]] for key, counts in votes.items()})
    return None
