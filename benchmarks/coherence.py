"""Answers of one session in, out which of them contradict what the session was told before.

A record is any JSON object in an answer that is no error. Its ids are its first field and every field that holds an
argument of the call, as far as they are texts or whole numbers; a digit in one of them at least tells an id from a
word such as "Mobile". An earlier object shows the same record if it agrees in all of these ids and if one of the two
has all the fields of the other: a user and a leave of that user are two records. An answer contradicts if it shows
such a record and differs from every earlier telling of it in a plain value (a text, a number, a truth value, null).
A successful write may change anything: what was told before it is forgotten, and its own answer is not judged.

Real tools break this rule too, where a read changes something (an e-mail is marked as read) or a field is no id. So
the figure means something beside that of the real answers to the same calls.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.types import Json

__all__ = ["Told", "contradictions"]

Record = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Told:
    """One answer as the session heard it. `writes`: its tool is one that changes something."""

    arguments: Mapping[str, Json]
    result: Json
    is_error: bool
    writes: bool


def contradictions(session: Sequence[Told]) -> list[bool | None]:
    """For each answer in order whether it contradicts; None where it shows no record that was told before."""
    found: list[bool | None] = []
    earlier: list[Record] = []
    for told in session:
        shown = [] if told.is_error else list(_records(told.result))
        found.append(None if told.writes else _contradicts(shown, earlier, told.arguments))
        if told.writes and not told.is_error:
            earlier = []
        earlier = earlier + shown
    return found


def _contradicts(shown: Sequence[Record], earlier: Sequence[Record], arguments: Mapping[str, Json]) -> bool | None:
    given = {canonical(value) for value in _leaves(arguments) if _may_be_id(value)}
    verdicts = []
    for record in shown:
        ids = _ids(record, given)
        if mates := [other for other in earlier if ids and _same_record(record, other, ids)]:
            verdicts.append(all(_differ(record, other) for other in mates))
    return any(verdicts) if verdicts else None


def _ids(record: Record, given: set[bytes]) -> Record:
    ids = {
        name: value
        for at, (name, value) in enumerate(record.items())
        if _may_be_id(value) and (at == 0 or canonical(value) in given)
    }
    return ids if any(letter.isdigit() for value in ids.values() for letter in str(value)) else {}


def _same_record(record: Record, other: Record, ids: Record) -> bool:
    related = record.keys() <= other.keys() or other.keys() <= record.keys()
    return related and all(name in other and canonical(other[name]) == canonical(ids[name]) for name in ids)


def _differ(record: Record, other: Record) -> bool:
    both = [(record[name], other[name]) for name in record.keys() & other.keys()]
    return any(_is_plain(a) and _is_plain(b) and canonical(a) != canonical(b) for a, b in both)


def _may_be_id(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _is_plain(value: Json) -> bool:
    return not isinstance(value, Mapping | list)


def _records(value: Json) -> Iterator[Record]:
    if isinstance(value, Mapping):
        yield value
    for inner in _inside(value):
        yield from _records(inner)


def _leaves(value: Json) -> Iterator[Json]:
    if _is_plain(value):
        yield value
    for inner in _inside(value):
        yield from _leaves(inner)


def _inside(value: Json) -> Sequence[Json]:
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else ()
