"""What is known of a log's personal values, or of one conversation's; a field in, its kind out."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from agent_gym.trace_parser.redact.dictionary import Dictionary
from agent_gym.trace_parser.redact.fields import field_kind, names_a_person
from agent_gym.trace_parser.redact.forms import Joined
from agent_gym.trace_parser.redact.kinds import Kind, split_key
from agent_gym.trace_parser.redact.walk import Leaf

__all__ = ["Change", "Known", "Own", "Place", "is_home", "kind_of", "place_of", "surely_a_name"]

Place = tuple[str, tuple[str, ...]]  # where names may be: a tool, and the words of a key

_TELLING = ("email", "birth_date", "national_id")


@dataclass(slots=True)
class Known:
    """The result. `words`: to replace wherever they stand; `common`: words of names that are everyday words as well."""

    entries: Dictionary
    words: Mapping[str, Kind]
    joined: Mapping[str, Joined]  # names run together, as sign-in names often are
    common: frozenset[str]
    births: frozenset[date]
    people: frozenset[Place]  # fields that turned out to hold names
    cities: frozenset[str]
    values: Mapping[Kind, tuple[str, ...]]  # all that fields and forms gave, as written, in order
    vocabulary: frozenset[str]


@dataclass(frozen=True, slots=True)
class Change:
    """What is to stand in the place of a part of a text."""

    start: int
    end: int
    new: str
    kind: Kind


@dataclass(slots=True)
class Own:
    """What one conversation's own records say: short numbers and common words are theirs only there."""

    entries: Dictionary = field(default_factory=Dictionary)
    words: set[str] = field(default_factory=set)
    changes: dict[tuple[str, bool], Sequence[Change]] = field(default_factory=dict)  # of short texts met before


def kind_of(leaf: Leaf, people: Container[Place]) -> Kind | None:
    """The kind of a field, once it is known which fields hold names."""
    kind = field_kind(leaf.keys, leaf.value)
    if kind == "maybe_name":
        return "name" if surely_a_name(leaf) or place_of(leaf) in people else None
    return kind if kind != "city" or is_home(leaf) else None


def surely_a_name(leaf: Leaf) -> bool:
    """A plain `name` is a person's where a person's other data stand beside it; `venue_name` is not."""
    told = len(split_key(leaf.keys[-1])) == 1 and any(kind in _TELLING for kind, _ in leaf.beside)
    return told or names_a_person(leaf.keys[:-1])


def is_home(leaf: Leaf) -> bool:
    return any(kind in ("street", "postcode") for kind, _ in leaf.beside)


def place_of(leaf: Leaf) -> Place:
    return leaf.where, split_key(leaf.keys[-1])
