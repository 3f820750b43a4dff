"""JSON in one form: equal values have equal bytes, whatever their key order or float noise."""

import hashlib
import json
import math
from collections.abc import Mapping

import orjson

from agent_gym.types import Json

__all__ = ["as_text", "canonical", "digest", "parsed", "same"]

_DIGITS = 6  # floats that agree to here are one number: 17.860000000000014 is 17.86
_DEEPEST = 100  # levels; what lies below is not told apart, and nobody can exhaust the stack with it
_BELOW = "…"
_OPENING = ("{", "[")  # how a text begins that may be JSON
_AS_THEY_ARE = frozenset({int, bool, type(None)})


def canonical(value: Json) -> bytes:
    """The value's canonical JSON: sorted keys, rounded floats, JSON inside strings parsed."""
    plain = _plain(value, _DEEPEST)
    try:
        written = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        # Integers beyond 64 bits and lone surrogates are JSON to others: keep them comparable.
        return json.dumps(plain, sort_keys=True, separators=(",", ":"), default=repr).encode()
    return b"".join((written, b""))  # a copy: orjson's own keeps 4 kB allocated, however short it is


def digest(value: Json) -> bytes:
    """16 bytes that stand for the canonical value."""
    return hashlib.blake2b(canonical(value), digest_size=16).digest()


def same(left: Json, right: Json) -> bool:
    """Whether two values have one canonical form; for most that shows without writing it."""
    if left is right:
        return True
    if type(left) is str and type(right) is str and not (left[:1] in _OPENING and right[:1] in _OPENING):
        return left == right
    return _are_plainly_alike(left, right) or canonical(left) == canonical(right)


def _are_plainly_alike(left: Json, right: Json) -> bool:
    """Equal, and written alike: True is 1 to Python, and NaN is null to the writer. False where that cannot be seen."""
    try:
        return left == right and orjson.dumps(left, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
            right, option=orjson.OPT_SORT_KEYS
        )
    except (TypeError, RecursionError):
        return False


def as_text(value: Json) -> str:
    """As a model or a person reads it: a string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=dict)


def parsed(value: Json) -> Json:
    """The value itself, or what a string holding a JSON object or array says."""
    if isinstance(value, str) and value[:1] in _OPENING:
        try:
            return orjson.loads(value)
        except ValueError:
            return value
    return value


def _plain(value: Json, deeper: int) -> Json:
    kind = type(value)
    if kind is str:
        return value if value[:1] not in _OPENING or (inner := parsed(value)) is value else _plain(inner, deeper)
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        if not math.isfinite(value):
            return repr(value)
        rounded = round(value, _DIGITS)
        return int(rounded) if rounded == int(rounded) else rounded
    if kind is dict or isinstance(value, Mapping):
        return {str(key): _plain(item, deeper - 1) for key, item in value.items()} if deeper else _BELOW
    if kind is list or kind is tuple:
        return [_plain(item, deeper - 1) for item in value] if deeper else _BELOW
    return value
