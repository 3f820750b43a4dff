"""Conversations in, examples of writes out: the call, its record before, and what the record became."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.tables import Record, Site, records_in
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["Records", "Subject", "WriteExample", "write_examples"]

Records = Mapping[tuple[str, str], Mapping[str, Json]]
Subject = tuple[str, str]  # (the argument that names the record a call is about, its table)


@dataclass(frozen=True, slots=True)
class WriteExample:
    """A recorded write with its record before and after, and what its conversation knew of others then."""

    call: Recorded
    table: str
    key: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    known: Records
    shows_record: bool = True  # `after` is the record itself, not an answer about it


def write_examples(
    calls: Sequence[Recorded],
    sites: Mapping[tuple[str, str], Site],
    kinds: Mapping[str, Kind],
    subjects: Mapping[str, Subject],
    start: Records,
) -> list[WriteExample]:
    """The conversation's successful writes, each with the record that it is about.

    `start` are the records as they were before anybody wrote: what the conversation has not looked at itself.
    """
    examples: list[WriteExample] = []
    known: dict[tuple[str, str], Mapping[str, Json]] = {}
    for call in calls:
        if call.is_error:
            continue
        shown = list(records_in(sites, call.name, call.arguments, call.result))
        kind = kinds[call.name]
        # A read that is told more than a name may answer with what it was told, as a write does.
        if kind.writes or kind.ends or len(call.arguments) > 1:
            examples.extend(_example(call, shown, subjects.get(call.name), known, start))
        for record in shown:
            place = (record.table, record.key)
            known[place] = {**known.get(place, start.get(place, {})), **record.fields}
    return examples


def _example(
    call: Recorded, shown: Sequence[Record], subject: Subject | None, known: Records, start: Records
) -> Iterator[WriteExample]:
    for record in shown:
        place = (record.table, record.key)
        before = known.get(place) or start.get(place)
        if record.path == "" and before and place[1] in map(str, call.arguments.values()):
            yield WriteExample(call, *place, before, record.fields, dict(known))
            return
    if isinstance(call.result, Mapping) and subject is not None:
        place = (subject[1], str(call.arguments.get(subject[0])))
        before = known.get(place) or start.get(place) or {}
        yield WriteExample(call, *place, before, call.result, dict(known), shows_record=False)
