"""Answers with what the anchored conversation itself was told, in the same state."""

from collections.abc import Mapping

from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    if view.anchor is None or not isinstance(call.arguments, Mapping):
        return None
    place, asked = view.place_in_anchor(call)
    told = view.anchor.answers.get(place)
    if told is None:
        return None
    recorded = told[min(asked, len(told) - 1)]
    return ToolAnswer(recorded.raw, recorded.is_error, "recorded", 1.0, (recorded.conversation_id,))
