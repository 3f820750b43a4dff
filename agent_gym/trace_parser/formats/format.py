"""What a format is: a small object that tells whether records are its own, which belong together, and reads them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agent_gym.types import Json, Message

__all__ = ["Draft", "Format", "Item", "Warned"]


class Item(NamedTuple):
    """One decoded record and its place. `raw` is empty where the record is not JSON text of its own (CSV, Parquet)."""

    value: Json
    source: str
    line: int
    raw: bytes = b""


class Warned(NamedTuple):
    """Something about a conversation that its owner should know: the cause in fixed words, and what was found."""

    cause: str
    found: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A conversation as a format found it; results are not yet paired and ids may be missing."""

    messages: Sequence[Message]
    conversation_id: str | None = None
    outcome: str | None = None
    satisfaction_score: float | None = None
    tools: Sequence[Mapping[str, Json]] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    warnings: Sequence[Warned] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """`detect` gives 0 (not this) to 1 (nothing else) for a sample of records.

    Without `keys` every record is read alone. With it, records that share a key, directly or over others, are read
    together; a record without any belongs to its file's own group.
    """

    name: str
    title: str
    detect: Callable[[Sequence[Json]], float]
    read: Callable[[Sequence[Item]], Iterable[Draft]]
    keys: Callable[[Json], Iterable[str]] | None = None
    experimental: bool = False  # no real file and no vendor's SDK output has gone through it
