"""Recorded calls in, kinds of tools out: which ones write, and which hand the customer over.

Evidence first: a write's result differs from what its conversation last knew of the record. The verb in
the name decides where there is nothing to compare; of a tool whose name is a command, few differences are enough:
it may set what is set already.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.verbs import Kind, commands, kind_by_name
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import Sites, records_in
from agent_gym.types import Json

__all__ = ["find_kinds"]

_OFTEN, _OF_A_COMMAND = 0.5, 0.1  # shares of the calls whose result differs, from which on a tool writes


def find_kinds(conversations: Sequence[Sequence[Recorded]], sites: Sites) -> dict[str, Kind]:
    kinds = {name: kind_by_name(name) for name in sorted({call.name for calls in conversations for call in calls})}
    # The second round knows from the first which other call may have caused a difference.
    for _ in range(2):
        evidence = _Evidence()
        for calls in conversations:
            _look(calls, sites, kinds, evidence)
        kinds = {name: _kind(name, evidence.changed[name], evidence.compared[name]) for name in kinds}
    return kinds


@dataclass(slots=True)
class _Evidence:
    changed: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)


def _look(calls: Sequence[Recorded], sites: Sites, kinds: Mapping[str, Kind], evidence: _Evidence) -> None:
    known: dict[tuple[str, str], tuple[Mapping[str, Json], int]] = {}
    writes = 0  # by others, so far
    for call in calls:
        if call.is_error:
            continue
        for record in records_in(sites, call.name, call.arguments, call.result):
            before, seen_at = known.get(record.name, ({}, writes))
            shared = [name for name in record.fields if name in before and before[name] != record.key]
            if record.path == "" and shared:
                differs = any(canonical(before[name]) != canonical(record.fields[name]) for name in shared)
                if not differs or seen_at == writes:
                    evidence.compared[call.name] += 1
                    evidence.changed[call.name] += differs
            known[record.name] = ({**before, **record.fields}, writes + kinds[call.name].writes)
        writes += kinds[call.name].writes


def _kind(name: str, changed: int, compared: int) -> Kind:
    by_name = kind_by_name(name)
    if by_name.ends or compared < 2:
        return by_name
    writes = changed / compared >= (_OF_A_COMMAND if commands(name) else _OFTEN)
    return Kind(writes, False, f"its result differed from the last known record {changed} of {compared} times")
