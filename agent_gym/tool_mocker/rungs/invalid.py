"""Answers calls that no tool could: an unknown tool, arguments that are no object, missing or of a wrong type.

In the tool's own words where it was recorded to complain of the same; else in ours.
"""

import difflib
from collections.abc import Mapping

from agent_gym.tool_mocker.defects import Defect, defect_of
from agent_gym.tool_mocker.depth import DEEPEST, is_deep
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import ToolModel
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.world.tools.get(call.name)
    if model is None:
        return _refused(f"unknown tool {call.name!r}" + _did_you_mean(call.name, view.world.tools))
    arguments: Json = call.arguments  # an agent may send anything
    if not isinstance(arguments, Mapping):
        return _refused(f"the arguments of {call.name} must be an object, found {type(arguments).__name__}")
    if is_deep(arguments):
        return _refused(f"the arguments of {call.name} are nested more than {DEEPEST} levels deep")
    defect = defect_of(arguments, model.parameters)
    if defect is not None:
        return _complained(call, defect, model)
    if model.argument_sets and not any(known <= arguments.keys() for known in model.argument_sets):
        ways = sorted(model.argument_sets, key=lambda names: (len(names), sorted(names)))[:3]
        listed = ", or ".join(" and ".join(sorted(names)) for names in ways)
        return _refused(f"{call.name} needs {listed}")
    return None


def _complained(call: ToolCall, defect: Defect, model: ToolModel) -> ToolAnswer:
    told = model.complaints.get(defect)
    if told is not None:
        pairs = substitutions(told.arguments, call.arguments)
        # A value of a wrong type still stands in the error as text.
        words = substituted(told.raw, [*pairs, *((str(old), str(new)) for old, new in pairs)])
        return ToolAnswer(words, True, "invalid", 1.0, (told.conversation_id,))
    name = defect.argument
    if defect.kind == "missing":
        return _refused(f"{call.name} needs the argument {name!r}" + _did_you_mean(name, call.arguments))
    found = type(call.arguments[name]).__name__
    return _refused(f"{name!r} of {call.name} must be {' or '.join(defect.types)}, found {found}")


def _refused(reason: str) -> ToolAnswer:
    return ToolAnswer({"error": reason}, is_error=True, source="invalid", confidence=1.0)


def _did_you_mean(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(str(name), sorted(map(str, known)), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
