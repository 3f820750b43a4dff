"""The entry of induction: examples in, the first idea that explains them out, the simplest idea first."""

from collections.abc import Sequence
from typing import Self

from agent_gym.tool_mocker.mining.atoms import TablesOf, atoms_of
from agent_gym.tool_mocker.mining.induction import branches, lists, numbering, numbers, objects, texts, values
from agent_gym.tool_mocker.mining.induction.agreement import Column, Wanted
from agent_gym.tool_mocker.rules.context import Context
from agent_gym.tool_mocker.rules.expressions import Expr, Given
from agent_gym.tool_mocker.rules.numbering import FirstKnown
from agent_gym.types import Json

__all__ = ["Inducer"]

_MOST_EXAMPLES = 60  # more teach a rule nothing new, and cost time
_DEPTH = 4  # lists within lists


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
            values.same_as(self.columns, wanted)
            or self._number(wanted)
            or self._word(wanted)
            or self._text(wanted)
            or branches.branched(self.columns, wanted, self.contexts)
            or (self._structure(wanted) if self._depth < _DEPTH else None)
        )

    def guess(self, targets: Sequence[Json]) -> Expr | None:
        """What the value most often is, where no rule explains it."""
        wanted = Wanted.of(targets[:_MOST_EXAMPLES], "")
        return values.usual(wanted) or numbering.commonest_number(self.columns, wanted, self.contexts)

    def learn(self, rule: Expr) -> None:
        """Let later rules build on one that was found."""
        self.columns.append(Column.of(rule, self.contexts))

    def within(self, contexts: Sequence[Context]) -> Self:
        """Explains what became of the elements of a list, each in a context of its own."""
        return type(self)(contexts, self._tables_of, self._depth + 1)

    def _number(self, wanted: Wanted) -> Expr | None:
        rule = numbers.combined(self.columns, wanted)
        difference = numbers.difference_in(rule)
        if difference is not None:
            self._differences.append(Column.of(difference, self.contexts))
        return rule

    def _word(self, wanted: Wanted) -> Expr | None:
        """One of a few constants: by the sign of a number, or by the value of something else."""
        if not values.is_word(wanted):
            return None
        return numbers.by_sign([*self._differences, *self.columns], wanted) or values.mapped(self.columns, wanted)

    def _text(self, wanted: Wanted) -> Expr | None:
        """A sentence with values in place; or an id counted up, where that is known."""
        sentence = texts.template(self.columns, wanted, self.contexts)
        counted = numbering.counted_up(self.columns, wanted, self.contexts, self._tables_of)
        return FirstKnown(counted, sentence) if counted is not None and sentence is not None else counted or sentence

    def _structure(self, wanted: Wanted) -> Expr | None:
        return objects.field_by_field(self, wanted) or lists.changed_list(self, wanted)


def _sometimes_given(contexts: Sequence[Context]) -> list[Given]:
    """Arguments that some calls give and others leave out: that alone may decide a value."""
    names = [frozenset(context.arguments) for context in contexts]
    return [Given(name) for name in sorted(frozenset[str]().union(*names)) if not all(name in given for given in names)]
