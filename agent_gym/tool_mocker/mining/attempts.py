"""Conversations in, attempts out: every call with the record it was about as it stood then."""

from collections.abc import Mapping, Sequence

from agent_gym.tool_mocker.mining.refusals import Attempt
from agent_gym.tool_mocker.mining.tables import Site, records_in
from agent_gym.tool_mocker.mining.writes import Records, Subject
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import Context, Named
from agent_gym.types import Json

__all__ = ["attempts_in", "find_subjects", "overlaid"]


def find_subjects(
    tools: Mapping[str, Sequence[Recorded]],
    sites: Mapping[tuple[str, str], Site],
    holders: Mapping[str, Sequence[str]],
) -> dict[str, Subject]:
    """tool → what its calls are about: the record it returns if an argument names it, else the likeliest."""
    subjects = {}
    for name, calls in sorted(tools.items()):
        counts: dict[Subject, int] = {}
        for call in calls:
            shown = {(r.table, r.key) for r in records_in(sites, name, call.arguments, call.result) if r.path == ""}
            for argument, value in call.arguments.items():
                if not isinstance(value, str | int) or isinstance(value, bool):
                    continue
                for table in holders.get(str(value), ()):
                    weight = 3 if (table, str(value)) in shown else 1
                    counts[argument, table] = counts.get((argument, table), 0) + weight
        if counts:
            first = {argument: at for call in calls[-1:] for at, argument in enumerate(call.arguments)}
            best = max(sorted(counts), key=lambda s: (counts[s], -first.get(s[0], 99)))
            if 2 * counts[best] >= len(calls):
                subjects[name] = best
    return subjects


def attempts_in(
    calls: Sequence[Recorded], sites: Mapping[tuple[str, str], Site], subjects: Mapping[str, Subject], start: Records
) -> list[tuple[str, Attempt]]:
    """(tool, attempt) for every call of the conversation; its record is empty where it is not known."""
    found: list[tuple[str, Attempt]] = []
    known: dict[tuple[str, str], Mapping[str, Json]] = {}
    done: frozenset[str] = frozenset()
    for call in calls:
        subject = subjects.get(call.name)
        place = (subject[1], str(call.arguments.get(subject[0]))) if subject is not None else ("", "")
        record = known.get(place) or start.get(place) or {}
        context = Context(call.arguments, record, overlaid(dict(known), start), done)
        found.append((call.name, Attempt(context, call.result if call.is_error else None, call.conversation_id)))
        if not call.is_error:
            done |= {call.name}
            for shown in records_in(sites, call.name, call.arguments, call.result):
                place = (shown.table, shown.key)
                known[place] = {**known.get(place, start.get(place, {})), **shown.fields}
    return found


def overlaid(known: Records, start: Records) -> Named:
    return lambda table, key: known.get((table, key)) or start.get((table, key))
