"""Dicts and traces in memory in, records out: a dict is read as the JSON line it would be in a file.

So both are read by the same rules, and a trace never shares what its caller may go on changing.
"""

import json
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from agent_gym.errors import TraceError
from agent_gym.trace_parser.decode import FLATTEN, TOO_DEEP
from agent_gym.trace_parser.envelope import Record
from agent_gym.trace_parser.repairs import Reject
from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["Ready", "given"]

_SOURCE = "traces"  # what errors name where there is no file
_WRAPPERS = ("data", "traces", "conversations")


@dataclass(frozen=True, slots=True)
class Ready:
    """A `Trace` that somebody made: it is not validated again, only settled."""

    trace: Trace
    line: int
    source: str = _SOURCE
    number: int = 0


def given(source: object) -> Iterator[Record | Ready | Reject]:
    """`line` is the position in the list, from 1."""
    position = 0
    for position, value in enumerate(_listed(source), 1):
        try:
            yield _record(position, value)
        except TraceError as error:
            yield Reject.of(error, reprlib.repr(value))
    if not position:
        raise TraceError(_SOURCE, None, "the list holds no conversations", "give at least one")


def _listed(source: object) -> Iterable[object]:
    if isinstance(source, Mapping) and "messages" not in source:
        for key in _WRAPPERS:
            inner = source.get(key)
            if isinstance(inner, list | tuple) and (not inner or any(_is_record(item) for item in inner)):
                return inner
    if isinstance(source, Trace | Mapping):
        return [source]
    if isinstance(source, Iterable) and not isinstance(source, bytes | bytearray) and not hasattr(source, "read"):
        return source
    hint = "give a path, a list of dicts in the trace schema, or a list of traces"
    raise TraceError(_SOURCE, None, f"a {type(source).__name__} is not a source of traces", hint)


def _is_record(item: object) -> bool:
    return isinstance(item, Trace) or (isinstance(item, Mapping) and "messages" in item)


def _record(position: int, value: object) -> Record | Ready:
    if isinstance(value, Trace):
        if not all(isinstance(message, Message) for message in value.messages):
            raise TraceError(_SOURCE, position, "its messages are not all of type Message", "make it with Trace.of")
        return Ready(value, position)
    if isinstance(value, Mapping):
        return Record(_SOURCE, position, _encoded(position, value))
    reason = f"it is a {type(value).__name__}, not a dict or a Trace"
    raise TraceError(_SOURCE, position, reason, "a conversation is a dict with a list of messages")


def _encoded(position: int, record: Mapping[str, Json]) -> bytes:
    try:
        return json.dumps(record, default=_as_json).encode()
    except RecursionError:
        raise TraceError(_SOURCE, position, TOO_DEEP, FLATTEN) from None
    except (TypeError, ValueError) as error:
        hint = "turn such values into text, numbers, lists and dicts first"
        raise TraceError(_SOURCE, position, f"it is not JSON: {error}", hint) from None


def _as_json(value: object) -> Json:
    if isinstance(value, Message | ToolCall):
        return value.to_dict()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"it holds a {type(value).__name__}")
