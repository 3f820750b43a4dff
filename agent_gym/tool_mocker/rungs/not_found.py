"""Denies what most likely does not exist: an id that nothing in the record shows, where such ids were wrong before."""

from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model.absence is None:
        return None
    asked = ""
    if model.subject is not None:
        table, asked = model.subject.of(call.arguments)
        if view.record(table, asked) is not None or asked in view.world.mentioned:
            return None
    if model.absence.denies(asked, anchored=view.anchor is not None) is None:
        return None
    return ToolAnswer(model.absence.error, True, "not_found", 0.0, model.absence.evidence)
