"""Values in, JSON schemas out: types, required by count, enums and formats by support, maps told from objects.

Only words that JSON Schema 2020-12, OpenAI's functions and Gemini's `parameters_json_schema` share: one type a
schema, `anyOf` where values are of several.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple

from agent_gym.text import parsed
from agent_gym.tool_mocker.entities import is_id_map
from agent_gym.types import Json

__all__ = ["ResultSchema", "function_schema", "result_schema", "value_schema"]


_ENUM_SIZE = 12  # more values than this are data, not a choice
_ENUM_SUPPORT = 3  # each value of an enum was seen this often on average
_FORMAT_SUPPORT = 3  # different values: one that looks like a date may do so by chance
_ID_DIGITS = 3  # of a key: a field may be called line2, but hardly line200
_DEEPEST = 20  # levels; what lies below is anything


class ResultSchema(NamedTuple):
    """What a tool's results look like; an empty schema where none was recorded."""

    success: Mapping[str, Json]
    error: Mapping[str, Json]


def function_schema(name: str, arguments: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The OpenAI-style schema that all recorded argument sets of the tool satisfy."""
    words = name.replace("_", " ").replace(".", " ")
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{words[:1].upper()}{words[1:]} (inferred from {len(arguments)} recorded calls).",
            "parameters": _fields_schema(arguments, _DEEPEST),
        },
    }


def result_schema(results: Sequence[Json]) -> dict[str, Json]:
    """What results look like, as the log has them: JSON, or strings that hold JSON."""
    plain = [result for result in results if parsed(result) is result]
    held = [parsed(result) for result in results if parsed(result) is not result]
    ways = [value_schema(plain)] if plain or not held else []
    if held:
        ways.append({"type": "string", "contentMediaType": "application/json", "contentSchema": value_schema(held)})
    return ways[0] if len(ways) == 1 else {"anyOf": ways}


def value_schema(values: Sequence[Json], deeper: int = _DEEPEST) -> dict[str, Json]:
    """The narrowest of our schemas that every value satisfies."""
    by_type: dict[str, list[Json]] = {}
    for value in values:
        by_type.setdefault(_type(value), []).append(value)
    if "number" in by_type:
        by_type["number"] += by_type.pop("integer", [])
    found = [_typed_schema(name, rows, deeper) for name, rows in sorted(by_type.items())]
    if not found:
        return {}
    return found[0] if len(found) == 1 else {"anyOf": found}


def _typed_schema(name: str, values: Sequence[Json], deeper: int) -> dict[str, Json]:
    if name == "string":
        return {"type": "string"} | _choices(values)
    if name == "array" and deeper:
        return {"type": "array", "items": value_schema([item for value in values for item in value], deeper - 1)}
    if name == "object" and deeper:
        return _map_schema(values, deeper) if _is_map(values) else _fields_schema(values, deeper)
    return {"type": name}


def _fields_schema(rows: Sequence[Mapping[str, Json]], deeper: int) -> dict[str, Json]:
    """Objects whose keys are names of fields."""
    seen: dict[str, list[Json]] = {}
    for row in rows:
        for key, value in row.items():
            seen.setdefault(key, []).append(value)
    return {
        "type": "object",
        "properties": {key: value_schema(values, deeper - 1) for key, values in sorted(seen.items())},
        "required": sorted(key for key, values in seen.items() if len(values) == len(rows)),
    }


def _map_schema(rows: Sequence[Mapping[str, Json]], deeper: int) -> dict[str, Json]:
    """Objects whose keys are ids, so any other id may be one."""
    inner = [value for row in rows for value in row.values()]
    return {"type": "object", "additionalProperties": value_schema(inner, deeper - 1)}


def _is_map(rows: Sequence[Mapping[str, Json]]) -> bool:
    """Whether the keys are ids: of records, with many digits, or with some and hardly ever the same."""
    filled = [row for row in rows if row]
    if not filled:
        return False
    if all(is_id_map(row) for row in filled):
        return True
    counts = Counter(key for row in filled for key in row)
    digits = min(sum(c.isdigit() for c in key) for key in counts)
    return digits >= _ID_DIGITS or (digits > 0 and 2 * max(counts.values()) <= len(filled))


def _choices(values: Sequence[str]) -> dict[str, Json]:
    """What else is known of strings: which they may be, or the form they have."""
    counts = Counter(values)
    enum = _enum(counts)
    if enum:
        return {"enum": enum}
    form = _format(counts) if len(counts) >= _FORMAT_SUPPORT else None
    return {"format": form} if form is not None else {}


def _enum(counts: Counter[str]) -> list[str]:
    closed = len(counts) <= _ENUM_SIZE and counts.total() >= _ENUM_SUPPORT * len(counts) and len(counts) > 1
    # Ids and free text repeat too in small logs; a choice is made of words.
    wordy = all(value and len(value) <= 40 and not any(c.isdigit() for c in value) for value in counts)
    return sorted(counts) if closed and wordy else []


def _format(texts: Iterable[str]) -> str | None:
    """The format that every text has."""
    return next((name for name, fits in _FORMATS.items() if all(fits(text) for text in texts)), None)


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d", text) is not None and _parses(date.fromisoformat, text)


def _is_date_time(text: str) -> bool:
    """A time without an offset is none to JSON Schema: nobody knows when it was."""
    written = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", text)
    return written is not None and _parses(datetime.fromisoformat, text)


def _parses(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _is_email(text: str) -> bool:
    return re.fullmatch(r"[\w.+%-]{1,64}@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}", text, re.ASCII) is not None


def _is_uri(text: str) -> bool:
    return re.fullmatch(r"[a-z][a-z0-9+.-]*://[!-~]+", text) is not None


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "email": _is_email,
    "uri": _is_uri,
}


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
