"""Calls in, function schemas out: types, required by count, enums by support."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agent_gym.types import Json

__all__ = ["function_schema", "value_schema"]

_ENUM_SIZE = 12  # more values than this are data, not a choice
_ENUM_SUPPORT = 3  # each value of an enum was seen this often on average


def function_schema(name: str, arguments: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The OpenAI-style schema that all recorded argument sets of the tool satisfy."""
    words = name.replace("_", " ").replace(".", " ")
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{words[:1].upper()}{words[1:]} (inferred from {len(arguments)} recorded calls).",
            "parameters": object_schema(arguments),
        },
    }


def object_schema(rows: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    seen: dict[str, list[Json]] = {}
    for row in rows:
        for key, value in row.items():
            seen.setdefault(key, []).append(value)
    required = sorted(key for key, values in seen.items() if len(values) == len(rows))
    return {
        "type": "object",
        "properties": {key: value_schema(values) for key, values in sorted(seen.items())},
        "required": required,
    }


def value_schema(values: Sequence[Json]) -> dict[str, Json]:
    """The narrowest of our schemas that every value satisfies."""
    types = sorted({_type(value) for value in values})
    if types == ["integer", "number"]:
        types = ["number"]
    schema: dict[str, Json] = {"type": types[0] if len(types) == 1 else types} if types else {}
    if types == ["string"]:
        choices = _enum(values)
        if choices:
            schema["enum"] = choices
    elif types == ["array"]:
        schema["items"] = value_schema([item for value in values for item in value])
    elif types == ["object"]:
        schema = object_schema(values)
    return schema


def _enum(values: Iterable[str]) -> list[str]:
    counts = Counter(values)
    closed = len(counts) <= _ENUM_SIZE and counts.total() >= _ENUM_SUPPORT * len(counts) and len(counts) > 1
    # Ids and free text repeat too in small logs; a choice is made of words.
    wordy = all(value and len(value) <= 40 and not any(c.isdigit() for c in value) for value in counts)
    return sorted(counts) if closed and wordy else []


def _type(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, Mapping) else "array"
