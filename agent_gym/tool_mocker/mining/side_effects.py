"""Moments in, side-effect rules out: what a write does to records other than its own.

Seen only in reads after a write: a record looked at before and after, with one write in between.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.atoms import TablesOf, atoms_of
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.rules.context import Context
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.types import Json

__all__ = ["SideEffect", "SideExample", "find_side_effects", "side_examples"]

_MIN_CHANGED = 2


@dataclass(frozen=True, slots=True)
class SideEffect:
    """A field of another record that a write changes too. In `rule`, `element` is that record as it was."""

    table: str
    key: Expr
    field: str
    rule: Expr
    examples: int

    def words(self) -> str:
        return f"{self.table}[{self.key.words()}].{self.field} becomes {self.rule.words()}"


@dataclass(frozen=True, slots=True)
class SideExample:
    """Another record before and after one write."""

    context: Context  # of the write, before it
    table: str
    key: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]


@dataclass(slots=True)
class _Sight:
    """A record as last seen, and the writes since."""

    fields: Mapping[str, Json]
    writes: list[Moment]


def side_examples(moments: Iterable[Moment], kinds: Mapping[str, Kind]) -> Iterator[tuple[str, SideExample]]:
    """(writing tool, example) for every record that the conversation saw on both sides of one write."""
    sights: dict[tuple[str, str], _Sight] = {}
    for moment in moments:
        if moment.call.is_error:
            continue
        writes = kinds[moment.call.name].writes
        if writes:
            for sight in sights.values():
                sight.writes.append(moment)
        for shown in moment.shown:
            earlier = sights.get(shown.name)
            if earlier is not None and len(earlier.writes) == 1 and not writes:
                write = earlier.writes[0]
                if shown.name != write.about:
                    yield write.call.name, SideExample(write.context, *shown.name, earlier.fields, shown.fields)
            sights[shown.name] = _Sight(shown.fields, [])


def find_side_effects(examples: Sequence[SideExample], tables_of: TablesOf) -> tuple[SideEffect, ...]:
    """A rule for every scalar field that changed, if the write says whose it is and what it becomes."""
    changed: dict[tuple[str, str], set[bytes]] = {}
    for example in examples:
        for name, value in example.after.items():
            before = example.before.get(name)
            if not isinstance(value, Mapping | list) and canonical(value) != canonical(before):
                # The same write in another conversation proves no more than once.
                changed.setdefault((example.table, name), set()).add(canonical([example.key, before, value]))
    rules = []
    for (table, name), distinct in sorted(changed.items()):
        rows = [e for e in examples if e.table == table and name in e.before and name in e.after]
        rule = _rule(table, name, rows, tables_of) if len(distinct) >= _MIN_CHANGED else None
        if rule is not None:
            rules.append(rule)
    return tuple(rules)


def _rule(table: str, name: str, rows: Sequence[SideExample], tables_of: TablesOf) -> SideEffect | None:
    moved = [row for row in rows if canonical(row.before[name]) != canonical(row.after[name])]
    for key in atoms_of([row.context for row in moved], tables_of):
        named = [row for row in rows if str(key.value(row.context)) == row.key]
        if not all(row in named for row in moved):
            continue
        contexts = [replace(row.context, element=row.before) for row in named]
        rule = Inducer(contexts, tables_of).explain([row.after[name] for row in named], name)
        if rule is not None:
            return SideEffect(table, key, name, rule, len(moved))
    return None
