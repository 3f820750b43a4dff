"""What a rule may look at: the call's arguments, the record it is about, and any record an id names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from agent_gym.types import Json

__all__ = ["MISSING", "Context", "Named", "is_number", "names_nothing"]


class _Missing:
    """Stands for a value that a rule cannot find; never equal to anything a result may hold."""

    def __repr__(self) -> str:
        return "<missing>"


MISSING: Final = _Missing()
Named = Callable[[str, str], Mapping[str, Json] | None]  # (table, key) → the record as it is now


def names_nothing(_table: str, _key: str) -> None:
    """The `Named` of a context in which no id means anything."""


@dataclass(frozen=True, slots=True)
class Context:
    """`element` and `pair` are set while a rule goes through a list: the old element, and what replaces what."""

    arguments: Mapping[str, Json]
    record: Mapping[str, Json]
    named: Named
    done: frozenset[str] = frozenset()  # the tools that have answered before, errors apart
    element: Json = None
    pair: Mapping[str, Json] | None = None

    def root(self, name: str) -> Json:
        if name == "argument":
            return self.arguments
        if name == "record":
            return self.record
        return self.element if name == "element" else self.pair


def is_number(value: Json) -> TypeGuard[int | float]:
    """JSON's true and false are no numbers, though Python's are."""
    return isinstance(value, int | float) and not isinstance(value, bool)
