"""Answers reads of what this session itself made: by what the write was told."""

from collections.abc import Mapping

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if not model.read_backs:
        return None
    for write in reversed(view.writes):
        told = view.model(write.call.name).decoded(write.answer.result)
        for rule in model.read_backs:
            if rule.write != write.call.name or not isinstance(told, Mapping):
                continue
            if str(told.get(rule.made, "")) == str(call.arguments.get(rule.argument)):
                result = rule.result.value(Context(write.call.arguments, told, view.record))
                if result is not MISSING:
                    return ToolAnswer(model.encoded(result), False, "state", 0.0, write.answer.evidence)
    return None
