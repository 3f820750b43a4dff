"""What rules are learned from: the recorded calls, each with what its conversation knew when it was made.

A thousandth example teaches a rule nothing that the hundredth has not, and rules are what takes time to find. So
records and recorded answers come from every conversation, rules from a sample of them.
"""

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from agent_gym.text import canonical
from agent_gym.tool_mocker.dependence import Dependence, Situation, find_dependence, situations_of
from agent_gym.tool_mocker.entities import (
    Find,
    Record,
    Records,
    Sightings,
    Sites,
    Subject,
    find_subjects,
    holders_of,
    matching,
    records_at_start,
    records_in,
    with_written_fields,
)
from agent_gym.tool_mocker.expressions.language import Context, Named, Past
from agent_gym.tool_mocker.kinds import Kind, find_kinds, kind_by_name
from agent_gym.tool_mocker.log import Recorded, by_tool, linking_values
from agent_gym.tool_mocker.schemas import function_schema
from agent_gym.tool_mocker.tables import find_sites
from agent_gym.types import Json

__all__ = ["MOST_EXAMPLES", "Evidence", "Moment", "find_evidence", "spread"]

MOST_EXAMPLES = 500  # of a tool's successes, and of its refusals

Conversations = Sequence[Sequence[Recorded]]


@dataclass(frozen=True, slots=True)
class Moment:
    """A recorded call in its context: records as last seen, else as they were before anybody wrote."""

    call: Recorded
    about: tuple[str, str] | None  # (table, key) of the record that is the context's
    context: Context
    shown: tuple[Record, ...]  # what the answer shows; nothing if it is an error
    stale: bool  # whether something has been written to the record since it was last seen
    known: bool  # whether the record was known before, from this conversation or from others

    @property
    def error(self) -> Json:
        return self.call.result if self.call.is_error else None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What every rule is learned from."""

    conversations: Conversations
    groups: Mapping[str, int]  # conversation → the customer, or the case, that it is of
    calls: Mapping[str, Sequence[Recorded]]  # tool → its calls, all of them
    sample: Mapping[str, Sequence[Recorded]]  # tool → those that rules are learned from
    kinds: Mapping[str, Kind]  # of the declared tools too, called or not
    schemas: Mapping[str, Mapping[str, Json]]  # of every tool, declared or inferred
    declared: Set[str]  # the tools whose schemas are the traces' own
    sites: Sites
    dependence: Dependence  # which writes an answer depends on
    records: Records  # as they were before anybody wrote to them
    origins: Mapping[tuple[str, str], str]  # record → the first conversation that shows it
    by_fields: Mapping[tuple[str, ...], Mapping[bytes, str]]  # (table, fields) → values → the record that has them
    holders: Mapping[str, Sequence[str]]  # key → the tables that hold a record of that name
    subjects: Mapping[str, Subject]  # tool → what its calls are about
    moments: Sequence[Sequence[Moment]]  # of each sampled conversation
    accepted: Mapping[str, Sequence[Moment]]  # tool → its successful calls
    refused: Mapping[str, Sequence[Moment]]
    situations: Sequence[Sequence[Situation]]  # of each conversation: the writes that each of its answers depends on
    lasting: Set[str]  # the tables that reads show: what only the answers of writes show is no thing of its own

    def tables_of(self, key: str) -> Sequence[str]:
        return self.holders.get(key, ())

    def writes(self, tool: str) -> bool:
        return self.kinds[tool].writes


def find_evidence(
    conversations: Conversations, declared: dict[str, Mapping[str, Json]], groups: Mapping[str, int]
) -> Evidence:
    """`declared`: the traces' own schemas, of tools that exist though nobody may have called them."""
    schemas = declared | _inferred(conversations, declared)
    teaching = _sampled(conversations)
    sample = _by_tool_sampled(call for conversation in teaching for call in conversation)
    sites: Sites = find_sites(sample)
    kinds = {name: kind_by_name(name) for name in schemas} | find_kinds(teaching, sites)
    writing = frozenset(name for name, kind in kinds.items() if kind.writes)
    sites = with_written_fields(sites, writing)
    sightings = Sightings()
    for conversation in conversations:
        sightings.add(conversation[0].conversation_id, records_at_start(conversation, sites, writing))
    records = sightings.records()
    holders = holders_of(records)
    subjects = find_subjects(teaching, sample, sites, holders, kinds.keys() - writing)
    by_fields = _by_fields(records, subjects.values())
    around = _Around(sites, subjects, records, writing, by_fields, sightings)
    moments = [list(around.moments(conversation)) for conversation in teaching]
    accepted: dict[str, list[Moment]] = {name: [] for name in kinds}
    refused: dict[str, list[Moment]] = {name: [] for name in kinds}
    for some in moments:
        for moment in some:
            known = (refused if moment.call.is_error else accepted)[moment.call.name]
            if len(known) < MOST_EXAMPLES:
                known.append(moment)
    dependence = find_dependence(teaching, kinds)
    kept: dict[Situation, Situation] = {}  # many calls are made in the same one
    situations = [
        [kept.setdefault(situation, situation) for _, situation in situations_of(conversation, kinds, dependence)]
        for conversation in conversations
    ]
    return Evidence(
        conversations=conversations,
        groups=groups,
        calls=by_tool(call for conversation in conversations for call in conversation),
        sample=sample,
        kinds=kinds,
        schemas=schemas,
        declared=declared.keys(),
        sites=sites,
        dependence=dependence,
        records=records,
        origins=sightings.origins,
        by_fields=by_fields,
        holders=holders,
        subjects=subjects,
        moments=moments,
        accepted=accepted,
        refused=refused,
        situations=situations,
        lasting=frozenset(site.table for (tool, _), site in sites.items() if tool not in writing),
    )


@dataclass(frozen=True, slots=True)
class _Around:
    """What is needed to tell what a conversation knew."""

    sites: Sites
    subjects: Mapping[str, Subject]
    start: Records
    writing: Set[str]
    by_fields: Mapping[tuple[str, ...], Mapping[bytes, str]]
    sightings: Sightings

    def moments(self, calls: Sequence[Recorded]) -> Iterator[Moment]:
        """Every call of a conversation, in order."""
        seen: dict[tuple[str, str], Mapping[str, Json]] = {}
        done: frozenset[str] = frozenset()
        history: tuple[Past, ...] = ()
        written: list[frozenset[str]] = []  # what each write has named
        last: dict[tuple[str, str], int] = {}  # record → how many writes there were when it was last seen
        for call in calls:
            named = self._named(dict(seen), call.conversation_id)
            subject = self.subjects.get(call.name)
            about = subject.of(call.arguments, self._first_seen(seen)) if subject is not None else None
            record = named(*about) if about is not None else None
            shown = () if call.is_error else tuple(records_in(self.sites, call.name, call.arguments, call.result))
            stale = about is not None and any(about[1] in values for values in written[last.get(about, 0) :])
            known = about is not None and (about in seen or self.sightings.elsewhere(about, call.conversation_id))
            context = Context(call.arguments, record or {}, named, done, history=history)
            yield Moment(call, about, context, shown, stale, known)
            if not call.is_error:
                done |= {call.name}
                history = (*history, Past(call.name, call.arguments, call.result))
                if call.name in self.writing:
                    written.append(linking_values(call.arguments) | linking_values(call.result))
            for each in shown:
                last[each.name] = len(written)
                seen[each.name] = {**seen.get(each.name, self.start.get(each.name, {})), **each.fields}

    def _named(self, seen: Records, conversation_id: str) -> Named:
        """A record as last seen, else as other conversations found it: what this one saw only later it did not know."""

        def found(table: str, key: str) -> Mapping[str, Json] | None:
            name = (table, key)
            known = seen.get(name)
            if known is None and self.sightings.elsewhere(name, conversation_id):
                known = self.start.get(name)
            return known

        return found

    def _first_seen(self, seen: Records) -> Find:
        """What the conversation has seen comes before what others have."""

        def found(table: str, fields: Mapping[str, Json]) -> str | None:
            own = matching(((key, record) for (kind, key), record in seen.items() if kind == table), fields)
            if own is not None:
                return own
            return self.by_fields[table, *sorted(fields)].get(canonical([fields[name] for name in sorted(fields)]))

        return found


def _by_fields(records: Records, subjects: Iterable[Subject]) -> dict[tuple[str, ...], dict[bytes, str]]:
    """The records of tables that calls ask for by fields, by these."""
    wanted = {(subject.table, *sorted(field for _, field in subject.fields)) for subject in subjects if subject.fields}
    found: dict[tuple[str, ...], dict[bytes, str]] = {place: {} for place in sorted(wanted)}
    for (table, key), record in records.items() if found else ():
        for place, index in found.items():
            if place[0] == table and all(field in record for field in place[1:]):
                index.setdefault(canonical([record[field] for field in place[1:]]), key)
    return found


def _inferred(conversations: Conversations, declared: Container[str]) -> dict[str, Mapping[str, Json]]:
    """Schemas of the tools that the traces do not declare, from their calls; refused ones only where no other are."""
    good: dict[str, list[Mapping[str, Json]]] = {}
    refused: dict[str, list[Mapping[str, Json]]] = {}
    for conversation in conversations:
        for call in conversation:
            (refused if call.is_error else good).setdefault(call.name, []).append(call.arguments)
    names = sorted(name for name in good.keys() | refused.keys() if name not in declared)
    return {name: function_schema(name, good.get(name) or refused[name]) for name in names}


def _sampled(conversations: Conversations) -> Conversations:
    """The conversations themselves, in their order, until no more are needed; which ones, a hash of their ids says."""
    seen: Counter[tuple[str, bool]] = Counter()
    for conversation in conversations:
        seen.update((call.name, call.is_error) for call in conversation)
    if not seen or max(seen.values()) <= MOST_EXAMPLES:
        return conversations
    taken: Counter[tuple[str, bool]] = Counter()
    chosen: list[int] = []
    for at in sorted(range(len(conversations)), key=lambda at: _drawn(conversations[at])):
        kinds = [(call.name, call.is_error) for call in conversations[at]]
        if any(taken[kind] < MOST_EXAMPLES for kind in kinds):
            taken.update(kinds)
            chosen.append(at)
    return [conversations[at] for at in sorted(chosen)]


def _drawn(conversation: Sequence[Recorded]) -> bytes:
    """Neither the oldest nor the latest first."""
    return hashlib.blake2b(conversation[0].conversation_id.encode(), digest_size=8).digest()


def _by_tool_sampled(calls: Iterable[Recorded]) -> dict[str, list[Recorded]]:
    """tool → its calls, so many successes and so many refusals at most."""
    tools: dict[str, list[Recorded]] = {}
    taken: Counter[tuple[str, bool]] = Counter()
    for call in calls:
        taken[call.name, call.is_error] += 1
        if taken[call.name, call.is_error] <= MOST_EXAMPLES:
            tools.setdefault(call.name, []).append(call)
    return tools


T = TypeVar("T")


def spread(rows: Sequence[T], most: int = MOST_EXAMPLES) -> Sequence[T]:
    """The rows, or so many of them as teach enough, from first to last."""
    return rows if len(rows) <= most else [rows[at * len(rows) // most] for at in range(most)]
