"""A record as it is to be written in, the kinds of personal values still in it out: every string and key is looked at,
whatever the walk through a trace thinks of it."""

from collections import Counter
from collections.abc import Mapping

from agent_gym.text import parsed
from agent_gym.trace_parser.redact.kinds import Kind
from agent_gym.trace_parser.redact.redactor import Redactor
from agent_gym.types import ROLES, Json

__all__ = ["left_over"]

_SCHEMA = frozenset(
    "conversation_id messages outcome satisfaction_score tools metadata role content tool_calls name tool_call_id "
    "result is_error id arguments".split()
)  # keys of the trace schema itself


def left_over(redactor: Redactor, record: Json) -> Counter[Kind]:
    found: list[str] = []
    _collect(record, found)
    return Counter(kind for text in found for kind in redactor.left_in(text))


def _collect(value: Json, found: list[str]) -> None:
    """Appends every string and key in the value."""
    value = parsed(value)
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict | Mapping):
        for key, item in value.items():
            if key not in _SCHEMA:
                found.append(key)
            if key != "role" or item not in ROLES:  # somebody may be called Tool
                _collect(item, found)
    elif isinstance(value, list | tuple):
        for item in value:
            _collect(item, found)
