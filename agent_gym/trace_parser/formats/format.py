"""What a format is: a small object that tells whether records are its own, which belong together, and reads them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from agent_gym.trace_parser.dialects import Notes, Warned
from agent_gym.trace_parser.repairs import Repairs
from agent_gym.types import Json, Message, Role, Trace

__all__ = ["Draft", "Format", "Group", "Item", "draft_of", "share"]


class Item(NamedTuple):
    """One decoded record and its place. `raw` is empty where the record is no JSON text of its own (CSV, Parquet)."""

    value: Json
    source: str
    line: int
    raw: bytes = b""
    number: int = 0  # of the record in its JSON document, from 1; 0 for a line of its own
    mended: Repairs | None = None  # what decoding it had to mend

    def repairs(self) -> Repairs:
        """The notes to go on with."""
        return self.mended or Repairs(self.source, self.line, f"record {self.number}: " if self.number else "")


class Group(NamedTuple):
    """Records that belong together, and the roles that the caller gave to speaker labels."""

    items: Sequence[Item]
    roles: Mapping[str, Role] = {}

    @property
    def values(self) -> list[Json]:
        return [item.value for item in self.items]


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
    read: Callable[[Group], Iterable[Draft | Trace]]
    keys: Callable[[Json], Iterable[str]] | None = None
    clean: Callable[[Item], Trace | None] | None = None  # reads at once what needs no second look
    experimental: bool = False  # no real file and no vendor's SDK output has gone through it


def draft_of(
    messages: Sequence[Message],
    notes: Notes,
    conversation_id: Json = None,
    *,
    outcome: str | None = None,
    satisfaction_score: float | None = None,
    metadata: Mapping[str, Json] | None = None,
) -> Draft:
    """A draft with what the notes hold: tools, warnings, and messages set aside."""
    kept = dict(metadata or {})
    if notes.other_messages:
        kept["other_messages"] = list(notes.other_messages)
    return Draft(
        messages,
        str(conversation_id)
        if conversation_id not in (None, "") and not isinstance(conversation_id, dict | list)
        else None,
        outcome,
        satisfaction_score,
        tuple(notes.tools),
        kept,
        tuple(notes.warnings),
    )


def share(records: Sequence[Json], holds: Callable[[dict[str, Json]], bool]) -> float:
    """The share of records that are objects and of which something holds."""
    if not records:
        return 0.0
    return sum(isinstance(record, dict) and holds(record) for record in records) / len(records)
