"""Answers calls that no tool could: an unknown tool, arguments that are no object, missing or of a wrong type."""

import difflib
import math
from collections.abc import Mapping

from agent_gym.tool_mocker.view import View
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["answer"]

_JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.world.tools.get(call.name)
    if model is None:
        return _refused(f"unknown tool {call.name!r}" + _did_you_mean(call.name, view.world.tools))
    arguments: Json = call.arguments  # an agent may send anything
    if not isinstance(arguments, Mapping):
        return _refused(f"the arguments of {call.name} must be an object, found {type(arguments).__name__}")
    properties = model.parameters.get("properties") or {}
    for name in model.parameters.get("required") or ():
        if name not in call.arguments:
            return _refused(f"{call.name} needs the argument {name!r}" + _did_you_mean(name, call.arguments))
    if model.argument_sets and not any(known <= arguments.keys() for known in model.argument_sets):
        ways = sorted(model.argument_sets, key=lambda names: (len(names), sorted(names)))[:3]
        listed = ", or ".join(" and ".join(sorted(names)) for names in ways)
        return _refused(f"{call.name} needs {listed}")
    for name, value in call.arguments.items():
        if name in properties and not _fits(value, properties[name].get("type")):
            wanted = properties[name]["type"]
            return _refused(f"{name!r} of {call.name} must be {_readable(wanted)}, found {type(value).__name__}")
    return None


def _refused(reason: str) -> ToolAnswer:
    return ToolAnswer({"error": reason}, is_error=True, source="invalid", confidence=1.0)


def _did_you_mean(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(str(name), sorted(map(str, known)), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def _fits(value: Json, wanted: str | list[str] | None) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted or []
    if not names:
        return True
    if isinstance(value, bool):
        return "boolean" in names
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return any(isinstance(value, _JSON_TYPES.get(name, (object,))) for name in names)


def _readable(wanted: str | list[str]) -> str:
    return wanted if isinstance(wanted, str) else " or ".join(wanted)
