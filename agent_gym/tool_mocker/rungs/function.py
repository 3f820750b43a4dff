"""Answers tools whose result follows from the arguments alone: constants, arithmetic, texts with places."""

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model.function is None:
        return None
    result = model.function.result.value(Context(call.arguments, {}, view.record))
    if result is MISSING:
        return None
    return ToolAnswer(model.encoded(result), False, "function", 0.0, model.function.evidence)
