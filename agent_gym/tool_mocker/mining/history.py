"""One conversation's calls in, what they show of the state before its own writes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import Sites, records_in
from agent_gym.types import Json

__all__ = ["History", "Told", "history_of"]

Told = tuple[Recorded, frozenset[str]]  # a call, and the tools that had answered before it


@dataclass(slots=True)
class History:
    """What one conversation shows. `untouched` calls saw nothing that the conversation had written to."""

    conversation_id: str
    untouched: list[Told] = field(default_factory=list)
    start: dict[tuple[str, str], Mapping[str, Json]] = field(default_factory=dict)


def history_of(calls: Sequence[Recorded], sites: Sites, kinds: Mapping[str, Kind]) -> History:
    history = History(calls[0].conversation_id if calls else "")
    touched: set[tuple[str, str]] = set()
    wrote = False
    done: frozenset[str] = frozenset()
    for call in calls:
        records = [] if call.is_error else list(records_in(sites, call.name, call.arguments, call.result))
        kind = kinds.get(call.name)
        writes = kind is not None and kind.writes and not call.is_error
        seen_written = any(record.name in touched for record in records)
        # An answer that shows no record cannot be told to have been written to: all of them count.
        if not wrote or not (seen_written or call.is_error or writes):
            history.untouched.append((call, done))
        for record in records:
            if writes:
                touched.add(record.name)
            elif record.name not in touched:
                known = history.start.get(record.name)
                history.start[record.name] = record.fields if known is None else _completed(known, record.fields)
        wrote = wrote or writes
        done = done if call.is_error else done | {call.name}
    return history


def _completed(known: Mapping[str, Json], fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """What is known with what else is shown; what was shown first stays. A copy only where there is more."""
    more = {name: value for name, value in fields.items() if name not in known}
    return {**known, **more} if more else known
