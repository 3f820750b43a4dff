"""Answers tools whose result follows from the arguments alone: constants, arithmetic, texts with places.

A function is found on one half of the examples and must be right on the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from agent_gym.text import canonical
from agent_gym.tool_mocker.evidence import Evidence
from agent_gym.tool_mocker.expressions.language import (
    FORMATS,
    MISSING,
    Calculated,
    Context,
    Expr,
    Path,
    calculated,
    names_nothing,
)
from agent_gym.tool_mocker.induction.inducer import Inducer
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.rules.refusal import RefusalRule
from agent_gym.tool_mocker.state import State
from agent_gym.types import Source, ToolAnswer, ToolCall

__all__ = ["FunctionRule", "learn_function"]

_MIN_EXAMPLES = 4
_MOST_EXAMPLES = 60
_LONGEST = 2000  # bytes of an answer: what is longer was looked up somewhere
_RIGHT = 0.95


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """The answer as an expression over the arguments."""

    source: ClassVar[Source] = "function"

    result: Expr
    examples: int
    evidence: tuple[str, ...]

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        result = self.result.value(Context(call.arguments, {}, state.record))
        if result is MISSING:
            return None
        return ToolAnswer(state.tool(call.name).encoded(result), False, "function", 0.0, self.evidence)

    def words(self) -> str:
        return f"answers {self.result.words()}"


def learn_function(evidence: Evidence, refusals: Mapping[str, RefusalRule]) -> dict[str, FunctionRule]:
    found = {}
    for name, calls in evidence.sample.items():
        ruled = _refused_by_rule(name, evidence, refusals)
        rule = _found([call for call in calls if (call.conversation_id, call.at) not in ruled])
        if rule is not None:
            found[name] = rule
    return found


def _refused_by_rule(name: str, evidence: Evidence, refusals: Mapping[str, RefusalRule]) -> set[tuple[str, int]]:
    """The refused calls that a rule explains: no function has to."""
    rule = refusals.get(name)
    refused = evidence.refused[name] if rule is not None else ()
    return {(m.call.conversation_id, m.call.at) for m in refused if rule is not None and rule.holding(m.context)}


def _found(calls: Sequence[Recorded]) -> FunctionRule | None:
    """The simplest function that explains the tool's successful answers, or None."""
    calls = list({call.key: call for call in reversed(calls)}.values())[::-1]
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
    """Whether a rule answers half of the calls and, where it does, is right."""
    given = [(rule.value(_context(call)), call.result) for call in calls]
    said = [(value, result) for value, result in given if value is not MISSING]
    hits = sum(canonical(value) == canonical(result) for value, result in said)
    return 2 * len(said) >= len(calls) and hits >= max(1, _RIGHT * len(said))


def _context(call: Recorded) -> Context:
    return Context(call.arguments, {}, names_nothing)
