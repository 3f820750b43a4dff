"""A call in, what it is compared by out: the tool and its arguments, in one form."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from agent_gym.text import canonical, parsed, same, values_in
from agent_gym.types import Json, ToolCall

__all__ = ["arguments_of", "call_key", "leaves", "likeness", "values_of"]

_SHORT = 60  # characters; longer texts hardly ever come again
_SCALARS = frozenset({str, int, bool})  # most values: to ask an abstract class of each is slow


def call_key(call: ToolCall, free_text: frozenset[tuple[str, str]] = frozenset()) -> bytes:
    """What makes two calls the same call: the tool and its arguments, but not the order within lists.

    Lists of one length are taken as columns of a table, so that items keep their partners.
    """
    arguments = {name: value for name, value in arguments_of(call).items() if (call.name, name) not in free_text}
    columns: dict[int, list[str]] = {}
    for name, value in sorted(arguments.items()):
        if isinstance(value, list | tuple) and len(value) > 1:
            columns.setdefault(len(value), []).append(name)
    for names in columns.values():
        rows = sorted(zip(*(arguments[name] for name in names), strict=True), key=canonical)
        arguments |= {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return canonical([call.name, arguments])


def arguments_of(call: ToolCall) -> Mapping[str, Json]:
    """The arguments by name, for agents and logs that send JSON text, or anything at all."""
    given = parsed(call.arguments)
    return given if isinstance(given, Mapping) else {"": given}


def likeness(call: ToolCall, other: ToolCall) -> float:
    """The share of arguments two calls of one tool have in common."""
    if call.name != other.name:
        return 0.0
    mine, theirs = arguments_of(call), arguments_of(other)
    alike = sum(same(mine[name], theirs[name]) for name in mine.keys() & theirs.keys())
    return alike / (len(mine.keys() | theirs.keys()) or 1)


def leaves(value: Json) -> Iterator[str]:
    """The scalars of a JSON value as text, numbers in one form."""
    value = parsed(value)
    if type(value) in _SCALARS:
        if value != "":
            yield str(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, float):
        yield f"{value:.10g}"
    elif value is not None and value != "":
        yield str(value)


def values_of(result: Json) -> set[str]:
    """Value.norm of everything a tool result holds, in its texts and by itself."""
    found: set[str] = set()
    for text in leaves(result):
        found |= _short_norms(text) if len(text) <= _SHORT else _norms(text)
    return found


def _norms(text: str) -> frozenset[str]:
    return frozenset((text.lower().lstrip("#"), *(value.norm for value in values_in(text))))


# The same cities, states and prices stand in many results.
_short_norms = lru_cache(maxsize=16384)(_norms)
