"""One conversation's calls in, its moments out: each call with what the conversation knew when it was made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import Context, Named
from agent_gym.tool_mocker.sites import Record, Records, Sites, records_in
from agent_gym.types import Json

__all__ = ["Moment", "moments_of"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A recorded call in its context: records as last seen, else as they were before anybody wrote."""

    call: Recorded
    about: tuple[str, str] | None  # (table, key) of the record that is the context's
    context: Context
    shown: tuple[Record, ...]  # what the answer shows; nothing if it is an error

    @property
    def error(self) -> Json:
        return self.call.result if self.call.is_error else None


def moments_of(
    calls: Sequence[Recorded], sites: Sites, subjects: Mapping[str, Subject], start: Records
) -> Iterator[Moment]:
    """Every call, in order. `start` are the records before anybody wrote: what the conversation has not looked at."""
    seen: dict[tuple[str, str], Mapping[str, Json]] = {}
    done: frozenset[str] = frozenset()
    for call in calls:
        named = _named(dict(seen), start)
        subject = subjects.get(call.name)
        about = subject.of(call.arguments) if subject is not None else None
        record = named(*about) if about is not None else None
        shown = () if call.is_error else tuple(records_in(sites, call.name, call.arguments, call.result))
        yield Moment(call, about, Context(call.arguments, record or {}, named, done), shown)
        if not call.is_error:
            done |= {call.name}
        for each in shown:
            seen[each.name] = {**seen.get(each.name, start.get(each.name, {})), **each.fields}


def _named(seen: Records, start: Records) -> Named:
    return lambda table, key: seen.get((table, key)) or start.get((table, key))
