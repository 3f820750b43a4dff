"""JSON values in, bytes out, and back, to the last digit: nothing rounded, nothing sorted, no string taken apart."""

import json
import re

import orjson

from agent_gym.types import Json

__all__ = ["read_json", "written_json"]

_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_LONG = b"0" * 19  # digits: from here on an integer may be beyond 64 bits
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def written_json(value: Json) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def read_json(text: bytes) -> Json:
    """ValueError for what is no JSON, or is nested too deep to be read."""
    try:
        return json.loads(text) if _is_delicate(text) else orjson.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _is_delicate(text: bytes) -> bool:
    """Whether it has what only the slower reader keeps as it is: integers beyond 64 bits, halves of surrogate pairs.

    To look for many digits in a row with a pattern takes ten times as long.
    """
    return _LONG in text.translate(_ZEROS) or _SURROGATE.search(text) is not None
