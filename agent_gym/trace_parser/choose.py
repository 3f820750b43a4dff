"""The first records of a stream in, the format they are in out; where two fit alike, that is said, not guessed."""

from collections.abc import Sequence
from typing import Final

from agent_gym.errors import OptionError, TraceError
from agent_gym.trace_parser.formats import Format, all_formats
from agent_gym.types import Json

__all__ = ["chosen", "named", "unwrapped"]

_ENOUGH = 0.3  # below this nothing speaks for a format
_APART = 0.02  # two formats nearer than this cannot be told apart
_WRAPPERS: Final = (
    "data", "items", "results", "rows", "records", "traces", "conversations", "messages", "runs", "spans",
    "observations", "tickets", "chats", "logs", "events", "entries", "value", "list", "sessions", "examples",
)  # fmt: skip


def named(name: str) -> Format:
    """The format of that name. Raises `OptionError` with a did-you-mean."""
    formats = {form.name: form for form in all_formats()}
    if name not in formats:
        raise OptionError("format", name, sorted(formats))
    return formats[name]


def chosen(sample: Sequence[Json], source: str, only: Format | None = None) -> Format | None:
    """The format of the records, of all or of the `only` one asked for; None for none of them.

    Raises `TraceError` where two fit alike.
    """
    if not sample:
        return None
    if only is not None:
        return only if only.detect(sample) >= _ENOUGH else None
    scores = [(form.detect(sample), form) for form in all_formats()]
    best, form = max(scores, key=lambda scored: scored[0])
    if best < _ENOUGH:
        return None
    alike = [other.name for score, other in scores if score > best - _APART]
    if len(alike) > 1:
        reason = f"its format is ambiguous: it could be {' or '.join(alike)}"
        raise TraceError(source, None, reason, f"say which with format={alike[0]!r} (--format {alike[0]})")
    return form


def unwrapped(record: Json) -> list[Json] | None:
    """The records inside an API's answer: the list under one of the usual keys, or the only list of objects."""
    if not isinstance(record, dict):
        return None
    lists = {
        key: value
        for key, value in record.items()
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    }
    if any("role" in message for message in lists.get("messages", ())):
        return None  # a conversation, not a list of records
    key = next((key for key in _WRAPPERS if key in lists), next(iter(lists)) if len(lists) == 1 else None)
    if key is not None:
        return lists[key]
    objects = [value for value in record.values() if isinstance(value, dict)]
    return unwrapped(objects[0]) if len(objects) == 1 else None
