"""Recorded calls in, subjects out: which argument of a tool names the record that its calls are about."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import Sites, records_in
from agent_gym.types import Json

__all__ = ["Subject", "find_subjects"]

_SHOWN = 3  # a record that the answer shows weighs as much as so many that are only named


class Subject(NamedTuple):
    """The argument that names what a call is about, and the table it is in."""

    argument: str
    table: str

    def of(self, arguments: Mapping[str, Json]) -> tuple[str, str]:
        """(table, key) of what a call with these arguments is about."""
        return self.table, str(arguments.get(self.argument))


def find_subjects(
    tools: Mapping[str, Sequence[Recorded]], sites: Sites, holders: Mapping[str, Sequence[str]]
) -> dict[str, Subject]:
    """tool → what its calls are about: the record it returns if an argument names it, else the likeliest.

    `holders`: key → the tables that hold a record of that name.
    """
    subjects = {}
    for name, calls in sorted(tools.items()):
        votes = _votes(calls, sites, holders)
        if votes:
            first = {argument: at for call in calls[-1:] for at, argument in enumerate(call.arguments)}
            best = max(sorted(votes), key=lambda s: (votes[s], -first.get(s.argument, 99)))
            if 2 * votes[best] >= len(calls):
                subjects[name] = best
    return subjects


def _votes(calls: Sequence[Recorded], sites: Sites, holders: Mapping[str, Sequence[str]]) -> dict[Subject, int]:
    votes: dict[Subject, int] = {}
    for call in calls:
        shown = {r.name for r in records_in(sites, call.name, call.arguments, call.result) if r.path == ""}
        for argument, value in call.arguments.items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                for table in holders.get(str(value), ()):
                    subject = Subject(argument, table)
                    votes[subject] = votes.get(subject, 0) + (_SHOWN if (table, str(value)) in shown else 1)
    return votes
