"""Examples of writes in, effect rules out: what a tool does to the record it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.attempts import overlaid
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.mining.writes import Records, WriteExample
from agent_gym.tool_mocker.patch import difference
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Expr

__all__ = ["EffectRule", "find_effect"]

_MOST_EXAMPLES = 60  # more teach a rule nothing new, and cost time


@dataclass(frozen=True, slots=True)
class EffectRule:
    """A write's effect on its record. `unexplained` fields change in a way that no rule was found for."""

    table: str
    key_argument: str
    fields: tuple[tuple[str, Expr], ...]
    unexplained: tuple[str, ...]
    shown: frozenset[str]  # the fields that its results show
    examples: int
    evidence: tuple[str, ...]

    def words(self) -> str:
        lines = [f"{name} becomes {rule.words()}" for name, rule in self.fields]
        lines += [f"{name} changes, no rule found" for name in self.unexplained]
        return f"{self.table}[argument.{self.key_argument}]: " + "; ".join(lines)


def find_effect(examples: Sequence[WriteExample], start: Records, tables_of: TablesOf) -> EffectRule | None:
    """The rule that the examples follow, or None where they do not even agree on what they are about."""
    picked = _varied(examples)
    key_argument = _key_argument(picked)
    if key_argument is None:
        return None
    contexts = [Context(e.call.arguments, e.before, overlaid(e.known, start)) for e in picked]
    changes = [difference(e.before, e.after) for e in picked]
    inducer = Inducer(contexts, tables_of)
    fields, unexplained = [], []
    for name in sorted({name for change in changes for name in change}):
        rule = inducer.explain([e.after.get(name, MISSING) for e in picked], name)
        if rule is None:
            unexplained.append(name)
        else:
            fields.append((name, rule))
    shown = frozenset(name for e in picked for name in e.after)
    evidence = tuple(dict.fromkeys(e.call.conversation_id for e in picked))[:5]
    table = picked[0].table
    return EffectRule(table, key_argument, tuple(fields), tuple(unexplained), shown, len(picked), evidence)


def _varied(examples: Sequence[WriteExample]) -> list[WriteExample]:
    """A bounded choice with distinct calls first: repeats of one case prove nothing."""
    first: dict[tuple[str, bytes], WriteExample] = {}
    for example in examples:
        first.setdefault((example.key, example.call.key), example)
    return list(first.values())[:_MOST_EXAMPLES]


def _key_argument(examples: Sequence[WriteExample]) -> str | None:
    """The argument that names the record, in every example."""
    if not examples:
        return None
    names = sorted(examples[0].call.arguments)
    return next((n for n in names if all(str(e.call.arguments.get(n)) == e.key for e in examples)), None)
