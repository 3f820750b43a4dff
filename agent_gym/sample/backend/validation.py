"""Check a call against the tool's declared parameters, as a service does before it looks at any data."""

import re
from collections.abc import Mapping

from agent_gym.sample.backend.refusal import Refusal
from agent_gym.sample.backend.session import Arguments
from agent_gym.types import Json

__all__ = ["check"]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
}


def check(parameters: Mapping[str, Json], arguments: Arguments) -> None:
    """Raise a refusal that names the first argument that is missing, unknown or malformed."""
    properties = parameters["properties"]
    for name in parameters["required"]:
        if name not in arguments:
            raise Refusal("missing_argument", f"{name} is required.")
    for name, value in arguments.items():
        if name not in properties:
            raise Refusal("unknown_argument", f"{name} is not an argument; known are {', '.join(properties)}.")
        _check_value(name, value, properties[name])


def _check_value(name: str, value: Json, schema: Mapping[str, Json]) -> None:
    kind = schema["type"]
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        raise Refusal("invalid_argument", f"{name} must be of type {kind}.")
    if "enum" in schema and value not in schema["enum"]:
        raise Refusal("invalid_argument", f"{name} must be one of {', '.join(schema['enum'])}.")
    if "pattern" in schema and not re.search(schema["pattern"], str(value)):
        raise Refusal("invalid_argument", f"{name} is malformed: {schema['description']}.")
