"""Refuses calls about what does not exist: nothing has shown it, and this session has not made it.

An id that no record shows may be wrong, or may just never have been asked for. How often it was wrong is counted over
the recorded look-ups, by what they look like, in two settings: a case whose records are known, and a new one, of which
is known what its conversation was shown before. A tool that was never seen to fail says it in the words of another
that is about the same table.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.entities import Owned, Subject, keyable
from agent_gym.tool_mocker.evidence import Evidence
from agent_gym.tool_mocker.expressions.predicates import shape
from agent_gym.tool_mocker.log import Recorded, linking_values
from agent_gym.tool_mocker.rules.views import QueryRule, folded
from agent_gym.tool_mocker.state import State
from agent_gym.tool_mocker.substitution import substituted, substitutions
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["MissingRule", "grounded_arguments", "learn_missing", "mentioned_values", "owned_arguments"]

_LIKELIER = 0.5
_OFTEN = 5  # calls, all of them about what was shown before, that make it a custom
_FEW_SHAPES = 6  # values of more shapes than this are free text, and look like nothing in particular

Look = Literal["alike", "near", "unlike"]  # as the known ones; like one of them but for a part; otherwise
_LOOKS: Mapping[Look, str] = {
    "alike": "what looks like the known ones",
    "near": "what differs from a known one in one part",
    "unlike": "what looks otherwise",
}


class Search(NamedTuple):
    """How a tool finds its record: by the key that an argument gives, or by what the record holds."""

    subject: Subject | None
    query: QueryRule | None

    @property
    def table(self) -> str:
        return self.subject.table if self.subject else self.query.table if self.query else ""

    @property
    def names(self) -> list[str]:
        """The arguments that say what is looked for, in an order that does not depend on their names."""
        if self.subject is not None:
            by_field = sorted(self.subject.fields, key=lambda pair: pair[1])
            return [argument for argument, _ in by_field] or [self.subject.argument]
        return [name for name, _ in self.query.fields] if self.query is not None else []

    def asked(self, arguments: Mapping[str, Json]) -> dict[str, str]:
        return {name: folded(arguments.get(name)) for name in self.names}

    def key(self, arguments: Mapping[str, Json]) -> str | None:
        """The key of what is looked for, as far as it is known."""
        if self.subject is not None:
            return str(arguments.get(self.subject.argument)) if not self.subject.fields else None
        wanted = self.query.wanted(arguments) if self.query is not None else None
        return self.query.index.get(wanted) if self.query is not None and wanted is not None else None

    def is_near(self, arguments: Mapping[str, Json]) -> bool:
        wanted = self.query.wanted(arguments) if self.query is not None else None
        return self.query is not None and wanted is not None and self.query.is_near(wanted)


@dataclass(frozen=True, slots=True)
class MissingRule:
    """The recorded refusal of what did not exist, and whether to expect it."""

    source: ClassVar[Source] = "not_found"

    lookup: Search
    told: Recorded
    told_of: tuple[str, ...]  # the arguments by which the refused call had named it, in the order of the lookup's
    shares: Mapping[tuple[bool, Look], float]  # (in a known case, what it looks like) → how often it was wrong
    shapes: Mapping[str, frozenset[str]]  # argument → the shapes of values that were found; none: any shape is fine
    counted: tuple[str, int] | None  # ids that are counted: what stands before the number, and the last
    examples: int

    def answer(self, call: ToolCall, state: State) -> ToolAnswer | None:
        if not all(name in call.arguments for name in self.lookup.names):
            return None
        key, table = self._key(call, state), self.lookup.table
        if key is None or (table, key) not in state.gone:
            if key is not None and (state.record(table, key) is not None or state.has_met(key)):
                return None
            if not self._denies(call, key, state):
                return None
        error = state.tool(call.name).encoded_error(self._error(call.arguments))
        return ToolAnswer(error, True, "not_found", 0.0, (self.told.conversation_id,))

    def _key(self, call: ToolCall, state: State) -> str | None:
        about = state.about(call)
        return about[1] if about is not None else self.lookup.key(call.arguments)

    def _denies(self, call: ToolCall, key: str | None, state: State) -> bool:
        """Whether what nothing has shown does not exist; of ids that are counted, lower ones do."""
        # A case whose conversation never came to such records is as good as new.
        known_case = state.anchor is not None and any(name == self.lookup.table for name, _ in state.anchor.records)
        if self.counted is not None and key is not None:
            stem, last = self.counted
            number = key.removeprefix(stem)
            is_counted = key.startswith(stem) and number.isdecimal()
            if is_counted and (known_case or int(number[:18]) <= last):
                return int(number[:18]) > last
        look = _look(self.lookup.asked(call.arguments), self.shapes, near=self.lookup.is_near(call.arguments))
        # What looks otherwise than all known ones is denied where even what looks like them is.
        share = self.shares.get((known_case, look), self.shares.get((known_case, "alike"), 0.0))
        return share > _LIKELIER

    def _error(self, arguments: Mapping[str, Json]) -> Json:
        """The refusal in this call's own values, however short these are."""
        old = {
            mine: self.told.arguments.get(other) for mine, other in zip(self.lookup.names, self.told_of, strict=False)
        }
        named = [(str(old[name]), str(arguments.get(name))) for name in old]
        return _reworded(substituted(self.told.result, substitutions({**self.told.arguments, **old}, arguments)), named)

    def words(self) -> str:
        denied = ", ".join(
            f"{words} in a {'known' if known else 'new'} case ({share:.0%} sure)"
            for known in (True, False)
            for look, words in _LOOKS.items()
            if (share := self.shares.get((known, look), 0.0)) > _LIKELIER
        )
        told = canonical(self.told.result).decode()
        return f"answers {told} to what the record does not show: {denied}" if denied else ""


def _reworded(value: Json, pairs: Sequence[tuple[str, str]]) -> Json:
    if isinstance(value, Mapping):
        return {name: _reworded(inner, pairs) for name, inner in value.items()}
    if isinstance(value, str):
        for old, new in pairs:
            value = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new.replace("\\", r"\\"), value)
    return value


class _Asked(NamedTuple):
    """A recorded look-up, and whether what it looks for was known: in a known case, and in a new one."""

    call: Recorded
    known: tuple[bool, bool]


def learn_missing(
    evidence: Evidence, queries: Mapping[str, QueryRule], shown: Mapping[str, int | None]
) -> dict[str, MissingRule]:
    """`shown`: the `mentioned_values`."""
    counted = _counted_keys(evidence)
    lookups = {name: Search(evidence.subjects.get(name), queries.get(name)) for name in sorted(evidence.calls)}
    asked = _look_ups({name: lookup for name, lookup in lookups.items() if lookup.names}, shown, evidence)
    own: dict[str, MissingRule] = {}
    for name, some in asked.items():
        failed = _commonest([one.call for one in some if one.call.is_error and not one.known[0]])
        if failed:
            lookup, shapes = lookups[name], _shapes(evidence.calls[name], lookups[name])
            shares = _shares(some, lookup, shapes, _masked(failed[0]), evidence.groups)
            limit = counted.get(lookup.table)
            own[name] = MissingRule(lookup, failed[0], tuple(lookup.names), shares, _known(shapes), limit, len(failed))
    found = dict(own)
    for name, some in asked.items():
        lookup = lookups[name]
        lenders = [rule for rule in own.values() if rule.lookup.table == lookup.table]
        if name in own or not lenders:
            continue
        alike = [rule for rule in lenders if len(rule.lookup.names) == len(lookup.names)]
        lender = max(alike or lenders, key=lambda rule: (rule.examples, rule.told.name))
        # How often look-ups of the known shape fail is each tool's own matter, unless all were of what was known.
        closed = bool(alike) and len(some) > 1 and all(one.known[1] for one in some)
        shares = {place: share for place, share in lender.shares.items() if place[1] != "alike" or closed}
        own_shapes = _known(_shapes(evidence.calls[name], lookup))
        found[name] = replace(lender, lookup=lookup, shares=shares, shapes=own_shapes)
    return found


def _look_ups(
    lookups: Mapping[str, Search], shown: Mapping[str, int | None], evidence: Evidence
) -> dict[str, list[_Asked]]:
    found: dict[str, list[_Asked]] = {name: [] for name in lookups}
    scalars = _Scalars()
    for moments in evidence.moments:
        before: set[str] = set()  # what the conversation was shown
        for moment in moments:
            call = moment.call
            lookup = lookups.get(call.name)
            if lookup is not None:
                key = moment.about[1] if moment.about is not None else lookup.key(call.arguments)
                elsewhere = key in shown and shown.get(key or "") != evidence.groups[call.conversation_id]
                known = moment.known or elsewhere or key in before
                found[call.name].append(_Asked(call, (known or key in shown, known)))
            if not call.is_error:
                before |= scalars.of(call.result)
    return found


def _commonest(calls: Sequence[Recorded]) -> list[Recorded]:
    """Those that were refused in the commonest words, their own values apart."""
    groups: dict[bytes, list[Recorded]] = {}
    for call in calls:
        groups.setdefault(_masked(call), []).append(call)
    return max(groups.values(), key=len, default=[])


def _masked(call: Recorded) -> bytes:
    text = canonical(call.result)
    for value in call.arguments.values():
        if isinstance(value, str | int) and len(str(value)) > 1:
            text = text.replace(str(value).encode(), b"*")
    return text


def _shares(
    asked: Sequence[_Asked],
    lookup: Search,
    shapes: Mapping[str, Mapping[str, set[str]]],
    error: bytes,
    groups: Mapping[str, int],
) -> dict[tuple[bool, Look], float]:
    """How often look-ups of what was not known were wrong; each counts once for each customer."""
    counts: dict[tuple[bool, Look], list[int]] = {}
    once = {(groups[call.conversation_id], call.key, call.is_error): (call, known) for call, known in asked}
    for call, known in once.values():
        if call.is_error and _masked(call) != error:
            continue
        given = lookup.asked(call.arguments)
        others = {
            name: frozenset(form for form, values in by_shape.items() if values - {given.get(name, "")})
            for name, by_shape in shapes.items()
        }
        look = _look(given, others, near=lookup.is_near(call.arguments))
        for known_case, was_known in zip((True, False), known, strict=True):
            if not was_known:
                row = counts.setdefault((known_case, look), [0, 0])
                row[0] += call.is_error
                row[1] += 1
    # One more look-up of each kind, half of them wrong: few examples do not make a rule.
    return {place: (wrong + 0.5) / (n + 1) for place, (wrong, n) in counts.items()}


def _shapes(calls: Sequence[Recorded], lookup: Search) -> dict[str, dict[str, set[str]]]:
    """argument → shape → values of that shape that were found, two at most: enough to tell whether there are others."""
    found: dict[str, dict[str, set[str]]] = {}
    for call in calls:
        for name, value in () if call.is_error else lookup.asked(call.arguments).items():
            values = found.setdefault(name, {}).setdefault(shape(value), set())
            if len(values) < 2:
                values.add(value)
    return {name: by_shape for name, by_shape in found.items() if len(by_shape) <= _FEW_SHAPES}


def _known(shapes: Mapping[str, Mapping[str, set[str]]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(by_shape) for name, by_shape in shapes.items()}


def _look(asked: Mapping[str, str], shapes: Mapping[str, frozenset[str]], *, near: bool) -> Look:
    if any(shape(value) not in shapes[name] for name, value in asked.items() if name in shapes):
        return "unlike"
    return "near" if near else "alike"


def grounded_arguments(evidence: Evidence, shown: Mapping[str, int | None]) -> dict[str, frozenset[str]]:
    """tool → the arguments whose values something had shown before, in every call that it accepted.

    Of a call with a value that nothing has shown, what such calls were told says nothing.
    """
    known: Counter[tuple[str, str]] = Counter()
    unknown: set[tuple[str, str]] = set()
    scalars = _Scalars()
    for moments in evidence.moments:
        before: set[str] = set()
        for moment in moments:
            call = moment.call
            if call.is_error:
                continue
            group = evidence.groups[call.conversation_id]
            for name, value in call.arguments.items():
                if not keyable(value):
                    continue
                if str(value) in before or shown.get(str(value), group) != group:
                    known[call.name, name] += 1
                else:
                    unknown.add((call.name, name))
            given = scalars.of(call.arguments)
            if evidence.writes(call.name):  # what it has made may be named by what it was told
                before |= given
            before |= scalars.of(call.result) - given  # an echo shows nothing
    found: dict[str, set[str]] = {}
    for (tool, name), times in known.items():
        if times >= _OFTEN and (tool, name) not in unknown:
            found.setdefault(tool, set()).add(name)
    return {tool: frozenset(names) for tool, names in found.items()}


def owned_arguments(evidence: Evidence) -> dict[str, tuple[Owned, ...]]:
    """tool → arguments whose values always stood in the record that another argument named, wherever that was known."""
    held: Counter[tuple[str, Owned]] = Counter()
    strange: set[tuple[str, Owned]] = set()
    for tool, accepted in evidence.accepted.items():
        for moment in accepted:
            given = {name: str(v) for name, v in moment.call.arguments.items() if keyable(v) and linking_values(v)}
            for owner, key in given.items():
                for table in evidence.tables_of(key):
                    record = moment.context.named(table, key)
                    values = linking_values(record) if record is not None else frozenset()
                    for name, value in given.items() if record is not None else ():
                        pair = (tool, Owned(name, table, owner))
                        if value == key:
                            continue
                        if value in values:
                            held[pair] += 1
                        else:
                            strange.add(pair)
    found: dict[str, tuple[Owned, ...]] = {}
    for (tool, owned), times in sorted(held.items()):
        if times >= _OFTEN and (tool, owned) not in strange:
            found[tool] = (*found.get(tool, ()), owned)
    return found


def mentioned_values(evidence: Evidence) -> dict[str, int | None]:
    """value → the group of conversations in which a result shows it that is no echo of the call; None: several do.

    What a conversation's own writes have made is not there for others.
    """
    shown: dict[str, int | None] = {}
    scalars = _Scalars()
    for calls in evidence.conversations:
        seen: set[str] = set()
        made: set[str] = set()
        for call in calls:
            if call.is_error:
                continue
            values = scalars.of(call.result) - scalars.of(call.arguments)
            if evidence.writes(call.name):
                made |= values - seen
            seen |= values
            group = evidence.groups[call.conversation_id]
            for value in values - made if made else values:
                if shown.setdefault(value, group) != group:
                    shown[value] = None
    return shown


class _Scalars:
    """The scalars of values, worked out once for each: a log shows the same results again and again."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Json, frozenset[str]]] = {}  # with the value: what is kept keeps its id

    def of(self, value: Json) -> frozenset[str]:
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, frozenset(_scalars(value)))
        return known[1]


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if not name.isalpha() and any(c.isdigit() for c in name):
                yield name
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    elif isinstance(value, str) and len(value) <= 80:
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def _counted_keys(evidence: Evidence) -> dict[str, tuple[str, int]]:
    """table → what its keys have before their number, and the highest; of tables whose keys are counted."""
    keys: dict[str, list[str]] = {}
    for table, key in evidence.records:
        keys.setdefault(table, []).append(key)
    found = {}
    for table, some in keys.items():
        parts = [match for key in some if (match := re.fullmatch(r"(.*?)(\d{1,18})", key))]
        if len(parts) == len(some) > 2 and len({(part[1], len(part[2])) for part in parts}) == 1:
            numbers = [int(part[2]) for part in parts]
            # Ids that are drawn by lot are far apart: any of them is as good as none.
            if max(numbers) - min(numbers) <= 100 * len(numbers):
                found[table] = (parts[0][1], max(numbers))
    return found
