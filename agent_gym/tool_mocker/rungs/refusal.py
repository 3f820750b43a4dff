"""Refuses what the recorded tool refused: by rules over the state of the record that a call is about."""

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model is None or not model.refusals or model.subject is None:
        return None
    argument, table = model.subject
    record = view.record(table, str(call.arguments.get(argument)))
    if record is None:
        return None
    context = Context(call.arguments, record, view.record)
    for rule in model.refusals:
        if rule.condition.holds(context):
            error = rule.error.value(context)
            if error is not MISSING:
                return ToolAnswer(view.encoded(model, error), True, "rule", 0.0, rule.evidence)
    return None
