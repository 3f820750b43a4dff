"""Recorded conversations in, the ground of all other miners out: kinds of tools, tables, and what calls are about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.tool_mocker.mining.history import Told, history_of
from agent_gym.tool_mocker.mining.kinds import find_kinds
from agent_gym.tool_mocker.mining.moments import Moment, moments_of
from agent_gym.tool_mocker.mining.records import Sightings, holders_of
from agent_gym.tool_mocker.mining.sampling import by_tool_sampled, sampled
from agent_gym.tool_mocker.mining.subjects import Subject, find_subjects
from agent_gym.tool_mocker.mining.tables import find_sites
from agent_gym.tool_mocker.mining.verbs import Kind, kind_by_name
from agent_gym.tool_mocker.recorded import Recorded, by_tool
from agent_gym.tool_mocker.sites import Records, Sites

__all__ = ["Ground", "find_ground"]


@dataclass(frozen=True, slots=True)
class Ground:
    """What every rule is mined over."""

    calls: Mapping[str, Sequence[Recorded]]  # tool → its calls, all of them
    sample: Mapping[str, Sequence[Recorded]]  # tool → those that rules are learned from
    teaching: Sequence[Sequence[Recorded]]  # the conversations that rules are learned from
    kinds: Mapping[str, Kind]  # of the declared tools too, called or not
    sites: Sites
    untouched: Mapping[str, Sequence[Told]]  # tool → its calls that show nothing written to before
    records: Records  # as they were before anybody wrote to them
    origins: Mapping[tuple[str, str], str]  # record → the first conversation that shows it
    holders: Mapping[str, Sequence[str]]  # key → the tables that hold a record of that name
    subjects: Mapping[str, Subject]  # tool → what its calls are about

    def tables_of(self, key: str) -> Sequence[str]:
        return self.holders.get(key, ())

    def moments(self, calls: Sequence[Recorded]) -> Iterable[Moment]:
        """A conversation's calls, each with what it knew when it was made."""
        return moments_of(calls, self.sites, self.subjects, self.records)


def find_ground(conversations: Sequence[Sequence[Recorded]], declared: Iterable[str]) -> Ground:
    """`declared`: names of tools that exist, though nobody may have called them."""
    teaching = sampled(conversations)
    sample = by_tool_sampled(call for conversation in teaching for call in conversation)
    sites = find_sites(sample)
    kinds = {name: kind_by_name(name) for name in declared} | find_kinds(teaching, sites)
    sightings, untouched = _seen(conversations, sites, kinds)
    records = sightings.records()
    holders = holders_of(records)
    return Ground(
        calls=by_tool(call for conversation in conversations for call in conversation),
        sample=sample,
        teaching=teaching,
        kinds=kinds,
        sites=sites,
        untouched=untouched,
        records=records,
        origins=sightings.origins,
        holders=holders,
        subjects=find_subjects(sample, sites, holders),
    )


def _seen(
    conversations: Iterable[Sequence[Recorded]], sites: Sites, kinds: Mapping[str, Kind]
) -> tuple[Sightings, dict[str, list[Told]]]:
    """What all conversations together show of the state before their own writes."""
    sightings = Sightings()
    untouched: dict[str, list[Told]] = {}
    sets: dict[frozenset[str], frozenset[str]] = {}  # many conversations go the same way
    for conversation in conversations:
        history = history_of(conversation, sites, kinds)
        sightings.add(history)
        for call, done in history.untouched:
            untouched.setdefault(call.name, []).append((call, sets.setdefault(done, done)))
    return sightings, untouched
