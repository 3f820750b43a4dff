"""Conversations in, examples of writes out: the call, its record before, and what the record became."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.kinds import Kind
from agent_gym.tool_mocker.mining.tables import Site, records_in
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["Records", "WriteExample", "write_examples"]

Records = Mapping[tuple[str, str], Mapping[str, Json]]


@dataclass(frozen=True, slots=True)
class WriteExample:
    """A recorded write with its record before and after, and what its conversation knew of others then."""

    call: Recorded
    table: str
    key: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]
    known: Records


def write_examples(
    calls: Sequence[Recorded], sites: Mapping[tuple[str, str], Site], kinds: Mapping[str, Kind], start: Records
) -> list[WriteExample]:
    """The conversation's successful writes whose result shows a record that was known before.

    `start` are the records as they were before anybody wrote: what the conversation has not looked at itself.
    """
    examples: list[WriteExample] = []
    known: dict[tuple[str, str], Mapping[str, Json]] = {}
    for call in calls:
        if call.is_error:
            continue
        shown = list(records_in(sites, call.name, call.arguments, call.result))
        for record in shown:
            place = (record.table, record.key)
            before = known.get(place) or start.get(place)
            if kinds[call.name].writes and record.path == "" and before:
                examples.append(WriteExample(call, *place, before, record.fields, dict(known)))
        for record in shown:
            place = (record.table, record.key)
            known[place] = {**known.get(place, start.get(place, {})), **record.fields}
    return examples
