"""Answers with what was recorded for the same arguments, where nothing it shows has been written to since."""

from agent_gym.text import same
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.view import View
from agent_gym.types import Source, ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model.kind.writes and view.writes:
        return None
    told = view.told(call)
    if told is None or (view.overlay and not told.is_error and _outdated(told, call, view)):
        return None
    # One of several recorded answers, and nothing says which: that is a guess.
    source: Source = "neighbour" if view.contested(call) else "recorded"
    return ToolAnswer(told.raw, told.is_error, source, 0.0, (told.conversation_id,))


def _outdated(told: Recorded, call: ToolCall, view: View) -> bool:
    """Whether this session has written to something that the answer shows."""
    return not same(view.patched(call.name, call.arguments, told.result), told.result)
