"""Recorded conversations in, the ground of all other miners out: kinds of tools, tables, and what calls are about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.history import History, history_of
from agent_gym.tool_mocker.mining.kinds import find_kinds
from agent_gym.tool_mocker.mining.moments import Moment, moments_of
from agent_gym.tool_mocker.mining.records import holders_of, start_records
from agent_gym.tool_mocker.mining.stories import Stories, find_stories
from agent_gym.tool_mocker.mining.subjects import Subject, find_subjects
from agent_gym.tool_mocker.mining.tables import find_sites
from agent_gym.tool_mocker.mining.verbs import Kind, kind_by_name
from agent_gym.tool_mocker.recorded import Recorded, by_tool
from agent_gym.tool_mocker.sites import Records, Sites

__all__ = ["Ground", "find_ground"]


@dataclass(frozen=True, slots=True)
class Ground:
    """What every rule is mined over."""

    calls: Mapping[str, Sequence[Recorded]]  # tool → its calls
    kinds: Mapping[str, Kind]  # of the declared tools too, called or not
    sites: Sites
    histories: Sequence[History]  # one a conversation
    stories: Stories
    records: Records  # as they were before anybody wrote to them
    holders: Mapping[str, Sequence[str]]  # key → the tables that hold a record of that name
    subjects: Mapping[str, Subject]  # tool → what its calls are about

    def tables_of(self, key: str) -> Sequence[str]:
        return self.holders.get(key, ())

    def moments(self, calls: Sequence[Recorded]) -> Iterable[Moment]:
        """A conversation's calls, each with what it knew when it was made."""
        return moments_of(calls, self.sites, self.subjects, self.records)


def find_ground(conversations: Sequence[Sequence[Recorded]], declared: Iterable[str]) -> Ground:
    """`declared`: names of tools that exist, though nobody may have called them."""
    calls = by_tool(call for conversation in conversations for call in conversation)
    sites = find_sites(calls)
    kinds = {name: kind_by_name(name) for name in declared} | find_kinds(conversations, sites)
    histories = [history_of(conversation, sites, kinds) for conversation in conversations]
    records = start_records(histories)
    holders = holders_of(records)
    subjects = find_subjects(calls, sites, holders)
    return Ground(calls, kinds, sites, histories, find_stories(conversations), records, holders, subjects)
