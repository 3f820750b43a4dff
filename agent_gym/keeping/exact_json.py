"""JSON values in, bytes out, and back, to the last digit: nothing rounded, nothing sorted, no string taken apart."""

import json
import re

import orjson

from agent_gym.types import Json

__all__ = ["read_json", "written_json"]

# What only the slower reader keeps as it is: integers beyond 64 bits, halves of surrogate pairs.
_DELICATE = re.compile(rb"\d{19}|\\ud[89a-f]", re.IGNORECASE)


def written_json(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def read_json(text: bytes) -> Json:
    """ValueError for what is no JSON, or is nested too deep to be read."""
    try:
        return json.loads(text) if _DELICATE.search(text) else orjson.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error
