"""Arguments and a function's parameters in, what is wrong with the call out: an argument missing, or of a wrong type.

Only what the schema says; whether the tool would do it is another question. `mining/complaints.py` learns what
recorded tools said to such calls, `rungs/invalid.py` says it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from agent_gym.types import Json

__all__ = ["Defect", "defect_of"]

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
