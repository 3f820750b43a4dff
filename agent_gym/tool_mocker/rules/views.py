"""Answers reads as views of one entity: the record that a call names, one field of it, or the one that fits.

What the entity is now decides: as this session's writes have left it, else as the record first shows it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from agent_gym.text import same
from agent_gym.tool_mocker.entities import Site, key_of, records_in
from agent_gym.tool_mocker.evidence import Evidence, Moment
from agent_gym.tool_mocker.log import Recorded
from agent_gym.tool_mocker.state import State
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = [
    "FieldViewRule",
    "QueryRule",
    "RecordViewRule",
    "folded",
    "learn_field_view",
    "learn_query",
    "learn_record_view",
]

_DEPTH = 3
_MIN_EXAMPLES = 2
_RIGHT = 0.9

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordViewRule:
    """A record that only this session knows, if all that the tool always shows of one is known."""

    source: ClassVar[Source] = "state"

    site: Site
    naming: frozenset[str]  # the arguments that name the record: a call with others asks for more

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        about = state.about(call)
        if about is None or about[0] != self.site.table or not call.arguments.keys() <= self.naming:
            return None
        # What others were shown of it is rather answered as they were.
        record = state.record(*about) if about not in state.world.records else None
        if record is None or not self.site.always <= record.keys():
            return None
        if key_of(self.site, call.arguments, record) != about[1]:
            return None
        shown = {name: value for name, value in record.items() if name in self.site.fields}
        source: Source = "state" if about in state.overlay else "query"
        return ToolAnswer(state.tool(call.name).encoded(shown), False, source, 0.0, state.evidence_for(*about))

    def words(self) -> str:
        return f"shows the {self.site.table} that {' and '.join(sorted(self.naming))} names, as it is now"


def learn_record_view(evidence: Evidence) -> dict[str, RecordViewRule]:
    found = {}
    for name, subject in evidence.subjects.items():
        site = evidence.sites.get((name, ""))
        if site is not None and site.key_field and site.table == subject.table and not evidence.writes(name):
            naming = frozenset(argument for argument, _ in subject.fields) or frozenset({subject.argument})
            found[name] = RecordViewRule(site, naming)
    return found


@dataclass(frozen=True, slots=True)
class FieldViewRule:
    """The field that an argument names, of the record that the call is about."""

    source: ClassVar[Source] = "state"

    argument: str
    named: bool  # the answer is an object with that one field, not its bare value
    examples: int
    evidence: tuple[str, ...]

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        about = state.about(call)
        record = state.record(*about) if about is not None else None
        field = call.arguments.get(self.argument)
        if record is None or not isinstance(field, str) or field not in record:
            return None
        shown = {field: record[field]} if self.named else record[field]
        source: Source = "state" if about in state.overlay else "query"
        return ToolAnswer(state.tool(call.name).encoded(shown), False, source, 0.0, self.evidence)

    def words(self) -> str:
        return f"answers the field of the record that argument.{self.argument} names"


def learn_field_view(evidence: Evidence) -> dict[str, FieldViewRule]:
    found = {name: _field_view(some) for name, some in evidence.accepted.items() if not evidence.writes(name)}
    return {name: rule for name, rule in found.items() if rule is not None}


def _field_view(accepted: Sequence[Moment]) -> FieldViewRule | None:
    """Found by its form: the answer has just the field that the argument names, or what the record has there."""
    evidence = tuple(dict.fromkeys(moment.call.conversation_id for moment in accepted))[:5]
    if len(accepted) < _MIN_EXAMPLES:
        return None
    for argument in sorted({name for moment in accepted for name in moment.call.arguments}):
        named = sum(_is_named(moment, argument) for moment in accepted)
        bare = [
            same(moment.context.record[field], moment.call.result)
            for moment in accepted
            if isinstance(field := moment.call.arguments.get(argument), str) and field in moment.context.record
        ]
        if named >= _RIGHT * len(accepted) or (len(bare) >= _MIN_EXAMPLES and sum(bare) >= _RIGHT * len(bare)):
            return FieldViewRule(argument, named > 0, len(accepted), evidence)
    return None


def _is_named(moment: Moment, argument: str) -> bool:
    told = moment.call.result
    return isinstance(told, Mapping) and list(told) == [moment.call.arguments.get(argument)]


@dataclass(frozen=True, slots=True)
class QueryRule:
    """The record of a table whose fields the arguments must equal; every known one by those fields."""

    source: ClassVar[Source] = "query"

    table: str
    fields: tuple[tuple[str, Steps], ...]  # (argument, path in the record)
    gives: str  # "key" or "record"
    index: Mapping[tuple[str, ...], str]  # the fields' values → the record's key
    partial: Mapping[tuple[str | None, ...], int]  # the same with one of them open → how many records

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        wanted = self.wanted(call.arguments)
        own = state.anchor.records if state.anchor and wanted is not None else {}
        key = next((k for (table, k), record in own.items() if table == self.table and self.of(record) == wanted), None)
        key = key or (self.index.get(wanted) if wanted is not None else None)
        if key is None:
            return None
        evidence = (state.world.origins.get((self.table, key), ""),)
        if self.gives == "key":
            return ToolAnswer(key, False, "query", 0.0, evidence)
        record = state.record(self.table, key)
        encoded = state.tool(call.name).encoded
        return ToolAnswer(encoded(dict(record)), False, "query", 0.0, evidence) if record else None

    def words(self) -> str:
        matches = " and ".join(f"{'.'.join(path)} is argument.{argument}" for argument, path in self.fields)
        return f"the {self.gives} of the {self.table} whose {matches}"

    def wanted(self, arguments: Mapping[str, Json]) -> tuple[str, ...] | None:
        """What a call asks for, in the index's form."""
        values = [arguments.get(argument) for argument, _ in self.fields]
        return None if any(isinstance(v, Mapping | list) or v is None for v in values) else tuple(map(folded, values))

    def is_near(self, wanted: tuple[str, ...]) -> bool:
        """Whether a record other than the one wanted has all that is wanted but one value."""
        known = int(wanted in self.index)
        return len(wanted) > 1 and any(self.partial.get(open_one, 0) > known for open_one in _with_one_open(wanted))

    def of(self, record: Mapping[str, Json]) -> tuple[str, ...] | None:
        """Where a record stands in the index."""
        values = [_at(record, path) for _, path in self.fields]
        return None if any(v is None for v in values) else tuple(map(folded, values))


def learn_query(evidence: Evidence) -> dict[str, QueryRule]:
    """Of reads that name no record by its key: these need no search for it."""
    searching = (name for name in sorted(evidence.sample) if name not in evidence.subjects)
    found = {name: _query(evidence.sample[name], evidence) for name in searching if not evidence.writes(name)}
    return {name: rule for name, rule in found.items() if rule is not None}


def _query(calls: Sequence[Recorded], evidence: Evidence) -> QueryRule | None:
    """The rule that the tool's successful calls follow, if its arguments say what the found record holds."""
    good = [call for call in calls if not call.is_error and call.arguments]
    records = evidence.records
    if len({frozenset(call.arguments) for call in good}) != 1:
        return None
    for gives, table in _found_tables(good, evidence):
        found = ((call, _found_key(call, gives, table, evidence)) for call in good)
        pairs = [(call, records[table, key]) for call, key in found if key is not None and (table, key) in records]
        fields = _fields(pairs) if len(pairs) >= _MIN_EXAMPLES else None
        if fields is not None:
            rule = QueryRule(table, fields, gives, {}, {})
            index = {place: key for (t, key), r in records.items() if t == table and (place := rule.of(r)) is not None}
            return replace(rule, index=index, partial=Counter(o for place in index for o in _with_one_open(place)))
    return None


def _with_one_open(place: tuple[str, ...]) -> Iterator[tuple[str | None, ...]]:
    for at in range(len(place)):
        yield (*place[:at], None, *place[at + 1 :])


def _found_tables(calls: Sequence[Recorded], evidence: Evidence) -> list[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for call in calls:
        if isinstance(call.result, str | int) and not isinstance(call.result, bool):
            counts.update(("key", table) for table in evidence.tables_of(str(call.result)))
        elif isinstance(call.result, Mapping) and (site := evidence.sites.get((call.name, ""))):
            counts["record", site.table] += 1
    return sorted(counts, key=lambda found: (-counts[found], found))


def _found_key(call: Recorded, gives: str, table: str, evidence: Evidence) -> str | None:
    if gives == "key":
        return str(call.result) if isinstance(call.result, str | int) else None
    shown = records_in(evidence.sites, call.name, call.arguments, call.result)
    return next((record.key for record in shown if record.path == "" and record.table == table), None)


def _fields(pairs: Sequence[tuple[Recorded, Mapping[str, Json]]]) -> tuple[tuple[str, Steps], ...] | None:
    """argument → where nearly every record that was found holds its value, or None if one of them stands nowhere."""
    held: Counter[tuple[str, Steps]] = Counter()
    for call, record in pairs:
        scalars = list(_scalars(record))
        for name, value in call.arguments.items():
            held.update((name, path) for path, known in scalars if known == folded(value))
    found = {}
    for name in sorted(pairs[0][0].arguments):
        paths = [path for argument, path in held if argument == name and held[name, path] >= _RIGHT * len(pairs)]
        if not paths:
            return None
        found[name] = min(paths, key=lambda path: (-held[name, path], len(path), path))
    return tuple(found.items())


def _scalars(value: Json, path: Steps = ()) -> Iterator[tuple[Steps, str]]:
    """Every scalar of a record with its path, in the form in which a search compares."""
    if isinstance(value, Mapping):
        if len(path) < _DEPTH:
            for name, inner in value.items():
                yield from _scalars(inner, (*path, name))
    elif path and not isinstance(value, list) and value is not None:
        yield path, folded(value)


def folded(value: Json) -> str:
    """The form in which a search compares: case and outer blanks do not count."""
    return str(value).strip().lower()


def _at(record: Json, path: Steps) -> Json:
    for name in path:
        record = record.get(name) if isinstance(record, Mapping) else None
    return record
