"""Answers calls that are wrong in themselves: an unknown tool, arguments missing or of a wrong type.

In the tool's own words where it was recorded to complain of the same; else in ours, if the log declares the schema.
"""

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.evidence import Evidence
from agent_gym.tool_mocker.log import DEEPEST, Recorded, is_deep
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.substitution import substituted, substitutions
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["Defect", "InvalidRule", "defect_of", "learn_invalid", "malformed"]

_JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
    "null": (type(None),),
}


class Defect(NamedTuple):
    """The first thing that is wrong with a call; `types` are those that would have been right."""

    kind: Literal["missing", "mistyped"]
    argument: str
    types: tuple[str, ...] = ()


def defect_of(arguments: Mapping[str, Json], parameters: Mapping[str, Json]) -> Defect | None:
    for name in parameters.get("required") or ():
        if name not in arguments:
            return Defect("missing", name)
    properties = parameters.get("properties") or {}
    for name, value in arguments.items():
        wanted = _types(properties.get(name) or {})
        if wanted and not _fits(value, wanted):
            return Defect("mistyped", name, tuple(wanted))
    return None


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


@dataclass(frozen=True, slots=True)
class InvalidRule:
    """What the tool says to a call that its schema does not allow."""

    source: ClassVar[Source] = "invalid"

    complaints: Mapping[Defect, Recorded]
    is_declared: bool  # an inferred schema knows no more types than were seen

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        defect = defect_of(call.arguments, state.tool(call.name).parameters)
        if defect is None:
            return None
        told = self.complaints.get(defect)
        may_be_fine = defect.kind == "mistyped" and not self.is_declared and told is None
        return None if may_be_fine else _complained(call, defect, told)

    def words(self) -> str:
        return ""


def learn_invalid(evidence: Evidence) -> dict[str, InvalidRule]:
    """A tool that was never called so complains in the words of another that was."""
    own = {name: _complaints(evidence.calls.get(name, ()), schema) for name, schema in evidence.schemas.items()}
    others: dict[Defect, Recorded] = {}
    for complaints in own.values():
        others = {**complaints, **others}
    return {name: InvalidRule({**others, **complaints}, name in evidence.declared) for name, complaints in own.items()}


def _complaints(calls: Sequence[Recorded], schema: Mapping[str, Json]) -> dict[Defect, Recorded]:
    """What is wrong → the first call that was, if its error speaks of that argument, or of nothing else."""
    parameters: Mapping[str, Json] = schema["function"].get("parameters") or {}
    refused = [(call, defect_of(call.arguments, parameters)) for call in calls if call.is_error]
    for_other_reasons = {canonical(call.result) for call, defect in refused if defect is None}
    found: dict[Defect, Recorded] = {}
    for call, defect in refused:
        if defect is not None and (
            _speaks_of(call.result, defect.argument) or canonical(call.result) not in for_other_reasons
        ):
            found.setdefault(defect, call)
    return found


def _speaks_of(error: Json, argument: str) -> bool:
    told = canonical(error).decode().lower()
    return argument.lower() in told or argument.lower().replace("_", " ") in told


def malformed(call: ToolCall, state: State) -> ToolAnswer | None:
    """What no rule can look at: a tool that is not there, arguments that are no object or have no end."""
    if call.name not in state.world.tools:
        return _refused(f"unknown tool {call.name!r}" + _did_you_mean(call.name, state.world.tools))
    arguments: Json = call.arguments  # an agent may send anything
    if not isinstance(arguments, Mapping):
        return _refused(f"the arguments of {call.name} must be an object, found {type(arguments).__name__}")
    if is_deep(arguments):
        return _refused(f"the arguments of {call.name} are nested more than {DEEPEST} levels deep")
    return None


def _complained(call: ToolCall, defect: Defect, told: Recorded | None) -> ToolAnswer:
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
