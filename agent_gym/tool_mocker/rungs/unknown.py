"""Answers what nothing else can: an error that says so, labelled as the world's limit and not the agent's fault."""

from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, _view: View) -> ToolAnswer:
    return ToolAnswer({"error": f"no recorded behaviour of {call.name} for these arguments"}, True, "unknown")
