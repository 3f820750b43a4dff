"""Refuses what the recorded tool refused: by rules over the state of the record that a call is about."""

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if not model.refusals:
        return None
    about = model.subject.of(call.arguments) if model.subject else None
    # What was made up is no ground to refuse on.
    record = view.record(*about) if about is not None and not view.is_made_up(*about) else None
    context = Context(call.arguments, record or {}, view.record, view.done)
    for rule in model.refusals:
        if rule.condition.holds(context):
            error = rule.error.value(context)
            if error is not MISSING:
                return ToolAnswer(model.encoded(error), True, "rule", 0.0, rule.evidence)
    return None
