"""Answers with what was recorded for the same arguments, where nothing it shows has been written to since."""

from agent_gym.text import digest
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model is None or (model.kind.writes and not view.clean):
        return None
    key = digest(call.arguments)
    told = view.anchor.untouched.get((call.name, key)) if view.anchor else None
    told = told or model.answers.get(key)
    if told is None:
        return None
    return ToolAnswer(told.raw, told.is_error, "recorded", 0.0, (told.conversation_id,))
