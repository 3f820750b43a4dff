"""Answers what a tool shows of the one thing there is: by the variables that this session was shown last."""

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    rule = model.by_variables
    if rule is None or not view.variables:
        return None
    result = rule.result.value(Context(call.arguments, view.variables, view.record))
    if result is MISSING:
        return None
    return ToolAnswer(model.encoded(result), False, "state", 0.0, rule.evidence)
