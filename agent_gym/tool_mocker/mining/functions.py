"""Recorded calls in, functions out: tools whose answer follows from the arguments alone.

A function is found on one half of the examples and must be right on the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.arithmetic import FORMATS, Calculated, calculated
from agent_gym.tool_mocker.rules.context import MISSING, Context, names_nothing
from agent_gym.tool_mocker.rules.expressions import Expr, Path
from agent_gym.types import Json

__all__ = ["FunctionRule", "find_function", "is_right"]

_MIN_EXAMPLES = 4
_MOST_EXAMPLES = 60
_LONGEST = 2000  # bytes of an answer: what is longer was looked up somewhere
_RIGHT = 0.95


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """The answer as an expression over the arguments."""

    result: Expr
    examples: int
    evidence: tuple[str, ...]

    def words(self) -> str:
        return f"answers {self.result.words()}"


def find_function(calls: Sequence[Recorded]) -> FunctionRule | None:
    """The simplest function that explains the tool's successful answers, or None."""
    distinct: dict[bytes, Recorded] = {}
    for call in calls:
        distinct.setdefault(call.key, call)
    calls = list(distinct.values())
    arithmetic = _arithmetic(calls)
    if arithmetic is not None:
        return _function(arithmetic, calls)
    shown = [call for call in calls[::2] if not call.is_error]
    if len(calls) < _MIN_EXAMPLES or not shown:
        return None
    rule = _induced(shown[:_MOST_EXAMPLES])
    # A tool that refuses some calls is no function of its arguments: refusals count as misses.
    hidden = calls[1::2][:_MOST_EXAMPLES]
    return _function(rule, shown) if rule is not None and _right(rule, hidden) else None


def _function(rule: Expr, calls: Sequence[Recorded]) -> FunctionRule:
    return FunctionRule(rule, len(calls), tuple(call.conversation_id for call in calls[:5]))


def _arithmetic(calls: Sequence[Recorded]) -> Expr | None:
    """A calculator: one sum that comes out right is no accident, so a single example will do."""
    names = sorted({name for call in calls for name, value in call.arguments.items() if isinstance(value, str)})
    for name in names:
        worked = [call for call in calls if not str(call.arguments.get(name)).strip().isdigit()]
        if any(calculated(str(call.arguments.get(name))) is not None for call in worked):
            for form in FORMATS:
                rule = Calculated(Path("argument", (name,)), form)
                if _right(rule, worked):
                    return rule
    return None


def _induced(calls: Sequence[Recorded]) -> Expr | None:
    if any(len(canonical(call.result)) >= _LONGEST for call in calls):
        return None
    return Inducer([_context(call) for call in calls], lambda _: ()).explain([call.result for call in calls])


def _right(rule: Expr, calls: Sequence[Recorded]) -> bool:
    examples = [(_context(call), call.result) for call in calls]
    return is_right(rule, examples, _RIGHT, spoken=0.5)


def is_right(rule: Expr, examples: Sequence[tuple[Context, Json]], share: float, *, spoken: float = 0.0) -> bool:
    """Whether a rule answers as often as `spoken` and, where it does, is right as often as `share`."""
    given = [(rule.value(context), result) for context, result in examples]
    said = [(value, result) for value, result in given if value is not MISSING]
    hits = sum(canonical(value) == canonical(result) for value, result in said)
    return len(said) >= spoken * len(examples) and hits >= max(1, share * len(said))


def _context(call: Recorded) -> Context:
    return Context(call.arguments, {}, names_nothing)
