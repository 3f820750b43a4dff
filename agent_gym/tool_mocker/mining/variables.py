"""Conversations in, rules over session variables out: what a tool shows of a thing that has no name.

Some worlds have just one of a thing: the car, the current folder, the logged-in account. Nothing names it,
but the field that one tool showed last is the field that the next one shows.
"""

from collections.abc import Iterator, Mapping, Sequence

from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.functions import FunctionRule, is_right
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import Context, names_nothing
from agent_gym.types import Json

__all__ = ["VariableExample", "find_variable_rule", "shown_variables", "variable_examples"]

VariableExample = tuple[Recorded, Context]  # a call, with the variables as its conversation last saw them

_MIN_EXAMPLES = 4
_RIGHT = 0.9


def shown_variables(result: Json) -> dict[str, Json]:
    """The named scalars of an answer."""
    if not isinstance(result, Mapping):
        return {}
    return {name: value for name, value in result.items() if not isinstance(value, Mapping | list)}


def variable_examples(calls: Sequence[Recorded], subjects: Mapping[str, Subject]) -> Iterator[VariableExample]:
    """The calls about nothing in particular that show a variable which was shown before."""
    variables: dict[str, Json] = {}
    for call in calls:
        if call.is_error or call.name in subjects:
            continue
        shown = shown_variables(call.result)
        if shown.keys() & variables.keys():
            yield call, Context(call.arguments, dict(variables), names_nothing)
        variables |= shown


def find_variable_rule(examples: Sequence[VariableExample], tables_of: TablesOf) -> FunctionRule | None:
    """The answer as a function of arguments and variables, found on one half of the examples, right on the other."""
    if len(examples) < _MIN_EXAMPLES:
        return None
    shown, hidden = examples[::2], [(context, call.result) for call, context in examples[1::2]]
    rule = Inducer([context for _, context in shown], tables_of).explain([call.result for call, _ in shown])
    if rule is None or "record." not in rule.words() or not is_right(rule, hidden, _RIGHT):
        return None
    return FunctionRule(rule, len(examples), tuple(dict.fromkeys(call.conversation_id for call, _ in examples))[:5])
