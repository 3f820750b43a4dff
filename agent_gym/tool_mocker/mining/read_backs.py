"""Conversations in, read-back rules out: what a read shows of something that a write of the conversation made.

The write's answer names it, the read asks for that name, and what the read shows follows from what the write
was told. Nothing else in the record can know it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import MISSING, Context, names_nothing
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.types import Json

__all__ = ["ReadBack", "ReadBackExample", "find_read_backs", "read_back_examples"]

_MIN_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class ReadBack:
    """`result` over a context whose arguments are the write's and whose record is the write's answer."""

    write: str
    made: str  # the field of the write's answer that names what it made
    argument: str  # the argument by which the read asks for it
    result: Expr
    examples: int

    def words(self) -> str:
        return f"asked for the {self.made} that {self.write} gave, answers {self.result.words()}"


@dataclass(frozen=True, slots=True)
class ReadBackExample:
    """A read of what a write made."""

    write: Recorded
    made: str
    argument: str
    read: Recorded


def read_back_examples(calls: Sequence[Recorded], kinds: Mapping[str, Kind]) -> Iterator[ReadBackExample]:
    """Every first read of something that the conversation itself made."""
    made: dict[str, tuple[Recorded, str]] = {}
    for call in calls:
        if call.is_error:
            continue
        if kinds[call.name].writes:
            if isinstance(call.result, Mapping):
                given = {str(value) for value in call.arguments.values()}
                made |= {str(v): (call, n) for n, v in call.result.items() if _names(v) and str(v) not in given}
            continue
        for argument, value in sorted(call.arguments.items()):
            if _names(value) and str(value) in made:
                write, name = made[str(value)]
                yield ReadBackExample(write, name, argument, call)
                break


def find_read_backs(examples: Sequence[ReadBackExample], tables_of: TablesOf) -> tuple[ReadBack, ...]:
    """The rules that one tool's read-backs follow, by the write they go back to."""
    groups: dict[tuple[str, str, str], list[ReadBackExample]] = {}
    for example in examples:
        groups.setdefault((example.write.name, example.made, example.argument), []).append(example)
    rules = []
    for (write, made, argument), rows in sorted(groups.items()):
        contexts = [Context(row.write.arguments, row.write.result, names_nothing) for row in rows]
        if len({row.write.key for row in rows}) >= _MIN_EXAMPLES:
            result = Inducer(contexts, tables_of).explain([row.read.result for row in rows])
            if result is not None:
                rules.append(ReadBack(write, made, argument, result, len(rows)))
    return tuple(rules)


def _names(value: Json) -> bool:
    return (
        isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) >= 3 and value is not MISSING
    )
