"""An answer and the recorded one in, how they compare out: whole, by fields, by type, by being an error."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_gym.text import canonical, parsed
from agent_gym.tool_mocker.log import Recorded
from agent_gym.types import Json, ToolAnswer

__all__ = ["Compared", "compared", "field_f1"]


@dataclass(frozen=True, slots=True)
class Compared:
    """`right_type`: both errors or neither, and of the same JSON shape at the top."""

    exact: bool
    field_f1: float
    right_type: bool
    error_agrees: bool


def compared(answer: ToolAnswer, recorded: Recorded) -> Compared:
    found, wanted = parsed(answer.result), recorded.result
    exact = canonical(found) == canonical(wanted)
    agrees = answer.is_error == recorded.is_error
    return Compared(
        exact, 1.0 if exact else field_f1(found, wanted), agrees and _shape(found) == _shape(wanted), agrees
    )


def field_f1(found: Json, wanted: Json) -> float:
    """How many of the leaves, each with its place, the two have in common."""
    left, right = Counter(_leaves(found)), Counter(_leaves(wanted))
    shared = (left & right).total()
    return 2 * shared / (left.total() + right.total()) if shared else 0.0


def _leaves(value: Json, path: str = "") -> Iterator[tuple[str, bytes]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}")
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _leaves(inner, f"{path}[]")
    else:
        yield path, canonical(value)


def _shape(value: Json) -> str | frozenset[str]:
    if isinstance(value, Mapping):
        return frozenset(value)
    if isinstance(value, bool) or value is None:
        return str(type(value))
    return "number" if isinstance(value, int | float) else type(value).__name__
