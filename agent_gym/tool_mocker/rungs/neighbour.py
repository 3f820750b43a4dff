"""Answers with the nearest recorded answer of the tool, its arguments' values replaced by the call's."""

from collections.abc import Mapping

from agent_gym.text import canonical
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.view import View
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["answer"]

_LOOK_AT = 500  # examples compared with a call; more would not find a nearer one often


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model is None or not model.examples:
        return None
    near = max(model.examples[:_LOOK_AT], key=lambda example: _likeness(example.arguments, call.arguments))
    result = substituted(near.result, substitutions(near.arguments, call.arguments))
    return ToolAnswer(view.encoded(model, result), False, "neighbour", 0.0, (near.conversation_id,))


def _likeness(known: Mapping[str, Json], arguments: Mapping[str, Json]) -> tuple[int, int]:
    shared = known.keys() & arguments.keys()
    return sum(canonical(known[name]) == canonical(arguments[name]) for name in shared), len(shared)
