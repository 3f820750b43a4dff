"""Examples of writes in, effect rules out: what a tool does to the record it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.mining.writes import WriteExample
from agent_gym.tool_mocker.patch import difference
from agent_gym.tool_mocker.rules.context import MISSING
from agent_gym.tool_mocker.rules.expressions import Expr, Given, Mapped
from agent_gym.types import Json

__all__ = ["EffectRule", "FieldRule", "find_effect"]

_MIN_EXAMPLES = 2
_MIN_READS = 4  # a read follows a rule less often
_AT_TIMES = 0.1  # of the examples: what is rarer is an oddity
_MOST_EXAMPLES = 60  # more teach a rule nothing new, and cost time


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What one field of the answer becomes, and when it is there at all. `value` None: no rule was found."""

    name: str
    value: Expr | None
    there: Expr | None = None  # None: always
    usual: Expr | None = None  # what it most often is, where no rule was found

    def words(self) -> str:
        becomes = f"becomes {self.value.words()}" if self.value is not None else "changes, no rule found"
        return f"{self.name} {becomes}" + (f", if {self.there.words()}" if self.there is not None else "")


@dataclass(frozen=True, slots=True)
class EffectRule:
    """A write's answer and effect. `shown` are the fields that it shows of the record as it is.

    `unforeseen` are fields that it shows now and then, nobody knows when: an answer without them is a guess.
    """

    table: str
    key_argument: str
    fields: tuple[FieldRule, ...]
    shown: frozenset[str]
    unforeseen: tuple[str, ...]
    examples: int
    evidence: tuple[str, ...]

    def words(self) -> str:
        changes = "; ".join(field.words() for field in self.fields) or "shown as it is"
        unsure = f"; {' and '.join(self.unforeseen)} at times, no rule found" if self.unforeseen else ""
        return f"{self.table}[argument.{self.key_argument}]: {changes}{unsure}"


def find_effect(examples: Sequence[WriteExample], tables_of: TablesOf, *, writes: bool) -> EffectRule | None:
    """The rule that the examples follow, or None where they do not even agree on what they are about."""
    picked = _varied(examples)
    key_argument = _key_argument(picked)
    if key_argument is None or len(picked) < (_MIN_EXAMPLES if writes else _MIN_READS):
        return None
    inducer = Inducer([e.context for e in picked], tables_of)
    # Numbers first: the sign of a difference may decide a word elsewhere.
    names = sorted({n for e in picked for n in _changed(e)}, key=lambda n: (not _is_number(picked, n), n))
    fields = [rule for name in names if (rule := _field(name, picked, inducer)) is not None]
    for field in fields:
        if isinstance(field.value, Mapped):
            inducer.learn(field.value)
    fields = [f if f.value is not None else _field(f.name, picked, inducer) or f for f in fields]
    shown = frozenset(name for e in picked if e.shows_record for name in e.after)
    evidence = tuple(dict.fromkeys(e.call.conversation_id for e in picked))[:5]
    ordered = tuple(sorted(fields, key=lambda rule: rule.name))
    ruled = {field.name for field in fields}
    unforeseen = (n for n in names if n not in ruled and sum(n in e.after for e in picked) >= _AT_TIMES * len(picked))
    return EffectRule(picked[0].table, key_argument, ordered, shown, tuple(sorted(unforeseen)), len(picked), evidence)


def _changed(example: WriteExample) -> Mapping[str, Json]:
    return difference(example.context.record, example.after) if example.shows_record else example.after


def _is_number(examples: Sequence[WriteExample], name: str) -> bool:
    return any(isinstance(e.after.get(name), float) for e in examples)


def _field(name: str, examples: Sequence[WriteExample], inducer: Inducer) -> FieldRule | None:
    present = [name in e.after for e in examples]
    there = None if all(present) else _presence(present, examples) or inducer.explain(present)
    if not all(present) and there is None and 2 * sum(present) < len(present):
        return None  # rarely there, nobody knows when
    targets = [e.after.get(name, MISSING) for e in examples]
    value = inducer.explain(targets, name)
    return FieldRule(name, value, there, inducer.guess(targets) if value is None else None)


def _presence(present: Sequence[bool], examples: Sequence[WriteExample]) -> Expr | None:
    """The argument that is given just where the field is there."""
    for name in sorted({name for e in examples for name in e.call.arguments}):
        if all((name in e.call.arguments) == there for e, there in zip(examples, present, strict=True)):
            return Given(name)
    return None


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
