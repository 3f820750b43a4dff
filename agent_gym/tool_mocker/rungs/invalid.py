"""Answers calls that no tool could: an unknown tool, arguments that are no object, missing or of a wrong type."""

import difflib
import math
from collections.abc import Mapping, Sequence

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
        wanted = _types(properties.get(name) or {})
        if wanted and not _fits(value, wanted):
            return _refused(f"{name!r} of {call.name} must be {' or '.join(wanted)}, found {type(value).__name__}")
    return None


def _refused(reason: str) -> ToolAnswer:
    return ToolAnswer({"error": reason}, is_error=True, source="invalid", confidence=1.0)


def _did_you_mean(name: str, known: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(str(name), sorted(map(str, known)), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def _types(schema: Mapping[str, Json]) -> Sequence[str]:
    """The types that a schema allows; none if it does not say."""
    if "anyOf" in schema:
        ways = [_types(way) for way in schema["anyOf"]]
        return [name for way in ways for name in way] if all(ways) else []
    wanted = schema.get("type") or ()
    return [wanted] if isinstance(wanted, str) else wanted


def _fits(value: Json, wanted: Sequence[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in wanted
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return any(isinstance(value, _JSON_TYPES.get(name, (object,))) for name in wanted)
