"""Recorded look-ups in, absence rules out: how likely a thing that the record does not show is to not exist.

An id that no record shows may be wrong, or may just never have been asked for. How often it was wrong is
counted over the recorded look-ups, by what they look like, in two settings: a case whose records are known, and
a new one, for which everything that its own customer's conversations show is left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.queries import QueryRule, folded
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.predicates import shape
from agent_gym.types import Json

__all__ = ["AbsenceRule", "Look", "Lookup", "find_absence", "shown_values", "with_shared"]

_MIN_ERRORS = 2
_LIKELIER = 0.5
_FEW_SHAPES = 6  # values of more shapes than this are free text, and look like nothing in particular

Look = Literal["alike", "near", "unlike"]  # as the known ones; like one of them but for a part; otherwise
_LOOKS: Mapping[Look, str] = {
    "alike": "what looks like the known ones",
    "near": "what differs from a known one in one part",
    "unlike": "what looks otherwise",
}


class Lookup(NamedTuple):
    """How a tool finds its record: by the key that an argument gives, or by what the record holds."""

    subject: Subject | None
    query: QueryRule | None

    @property
    def table(self) -> str | None:
        return self.subject.table if self.subject else self.query.table if self.query else None

    def asked(self, arguments: Mapping[str, Json]) -> dict[str, str]:
        """The arguments that say what is looked for, in the form in which they are compared."""
        if self.subject is not None:
            value = arguments.get(self.subject.argument)
            return {self.subject.argument: str(value)} if isinstance(value, str | int) else {}
        names = [name for name, _ in self.query.fields] if self.query is not None else []
        return {name: folded(arguments.get(name)) for name in names}

    def key(self, arguments: Mapping[str, Json]) -> str | None:
        """The key of what is looked for, as far as it is known."""
        if self.subject is not None:
            return self.asked(arguments).get(self.subject.argument)
        wanted = self.query.wanted(arguments) if self.query is not None else None
        return self.query.index.get(wanted) if self.query is not None and wanted is not None else None

    def is_near(self, arguments: Mapping[str, Json]) -> bool:
        wanted = self.query.wanted(arguments) if self.query is not None else None
        return self.query is not None and wanted is not None and self.query.is_near(wanted)


@dataclass(frozen=True, slots=True)
class AbsenceRule:
    """The error for what does not exist, and whether to expect it: (in a known case, what it looks like) → share."""

    error: Json
    shares: Mapping[tuple[bool, Look], float]
    shapes: Mapping[str, frozenset[str]]  # argument → the shapes of values that were found; none: any shape is fine
    evidence: tuple[str, ...]

    def denies(self, asked: Mapping[str, str], *, near: bool, known_case: bool) -> bool:
        """Whether what is looked for more likely does not exist than does."""
        return self.shares.get((known_case, _look(asked, self.shapes, near=near)), 0.0) > _LIKELIER

    def expected(self) -> list[str]:
        """What it denies, and how surely, in words. One that never denies is no rule to tell of."""
        return [
            f"{words} in a {'known' if known else 'new'} case ({share:.0%} sure)"
            for known in (True, False)
            for look, words in _LOOKS.items()
            if (share := self.shares.get((known, look), 0.0)) > _LIKELIER
        ]

    def words(self) -> str:
        denied = ", ".join(self.expected()) or "nothing"
        return f"answers {canonical(self.error).decode()} to what the record does not show: {denied}"


def find_absence(
    calls: Sequence[Recorded], lookup: Lookup, shown_in: Mapping[str, int | None], groups: Mapping[str, int]
) -> AbsenceRule | None:
    """`shown_in`: value → the group of conversations whose results show it, None: several; `groups`: its own group."""
    if lookup.table is None:
        return None
    # The error that look-ups of unknown things get: a thing that is known may be refused for other reasons.
    errors = [(call, canonical(call.result)) for call in calls if call.is_error]
    unknown = Counter(form for call, form in errors if lookup.key(call.arguments) not in shown_in)
    error = max(unknown, key=lambda form: (unknown[form], form), default=None)
    told = [call for call, form in errors if form == error]
    if len(told) < _MIN_ERRORS:
        return None
    shapes = _shapes(calls, lookup)
    counts: dict[tuple[bool, Look], list[int]] = {}
    for call in _distinct(calls, groups):
        if call.is_error and canonical(call.result) != error:
            continue
        look, key = _look_of(call, lookup, shapes), lookup.key(call.arguments)
        for known_case in (True, False):
            # In a new case nothing is known that only this customer's own conversations show.
            own = shown_in.get(key or "", None) == groups[call.conversation_id]
            if key not in shown_in or (own and not known_case):
                row = counts.setdefault((known_case, look), [0, 0])
                row[0] += call.is_error
                row[1] += 1
    # One more look-up of each kind, half of them wrong: few examples do not make a rule.
    shares = {place: (wrong + 0.5) / (n + 1) for place, (wrong, n) in counts.items()}
    evidence = tuple(dict.fromkeys(call.conversation_id for call in told))[:5]
    return AbsenceRule(told[0].raw, shares, _known_shapes(shapes), evidence)


def with_shared(
    absences: Mapping[str, AbsenceRule | None], lookups: Mapping[str, Lookup], calls: Mapping[str, Sequence[Recorded]]
) -> dict[str, AbsenceRule | None]:
    """Two ways to find one kind of record deny it in the same words, though only one of them had to.

    How often look-ups of the known shape fail is each tool's own matter: that is not shared.
    """
    lent: dict[str, AbsenceRule] = {}
    for name, absence in sorted(absences.items()):
        table = lookups[name].table
        if absence is not None and table is not None:
            lent.setdefault(table, absence)
    found = dict(absences)
    for name, lookup in lookups.items():
        lender = lent.get(lookup.table or "")
        if lender is not None and found[name] is None:
            shares = {place: share for place, share in lender.shares.items() if place[1] != "alike"}
            found[name] = replace(lender, shares=shares, shapes=_known_shapes(_shapes(calls[name], lookup)))
    return found


def _distinct(calls: Sequence[Recorded], groups: Mapping[str, int]) -> list[Recorded]:
    """Each look-up once for each customer: who asks again and again proves no more than once."""
    first = {(groups[call.conversation_id], call.key, call.is_error): call for call in reversed(calls)}
    return list(reversed(first.values()))


def _shapes(calls: Sequence[Recorded], lookup: Lookup) -> dict[str, dict[str, set[str]]]:
    """argument → shape → values of that shape that were found, two at most: enough to tell whether there are others."""
    found: dict[str, dict[str, set[str]]] = {}
    for call in calls:
        if not call.is_error:
            for name, value in lookup.asked(call.arguments).items():
                values = found.setdefault(name, {}).setdefault(shape(value), set())
                if len(values) < 2:
                    values.add(value)
    return {name: by_shape for name, by_shape in found.items() if len(by_shape) <= _FEW_SHAPES}


def _known_shapes(shapes: Mapping[str, Mapping[str, set[str]]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(by_shape) for name, by_shape in shapes.items()}


def _look_of(call: Recorded, lookup: Lookup, shapes: Mapping[str, Mapping[str, set[str]]]) -> Look:
    """What a recorded look-up looks like beside all others."""
    asked = lookup.asked(call.arguments)
    others = {
        name: frozenset(form for form, values in by_shape.items() if values - {asked.get(name)})
        for name, by_shape in shapes.items()
    }
    return _look(asked, others, near=lookup.is_near(call.arguments))


def _look(asked: Mapping[str, str], shapes: Mapping[str, frozenset[str]], *, near: bool) -> Look:
    if any(shape(value) not in shapes[name] for name, value in asked.items() if name in shapes):
        return "unlike"
    return "near" if near else "alike"


def shown_values(
    calls: Iterable[Recorded], subjects: Mapping[str, Subject], groups: Mapping[str, int]
) -> dict[str, int | None]:
    """value → the group of conversations in which a result shows it that is not its own look-up; None: several do."""
    shown: dict[str, int | None] = {}
    for call in calls:
        if call.is_error:
            continue
        subject = subjects.get(call.name)
        asked = str(call.arguments.get(subject.argument)) if subject is not None else None
        for value in _scalars(call.result):
            if value != asked and shown.setdefault(value, groups[call.conversation_id]) != groups[call.conversation_id]:
                shown[value] = None
    return shown


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if any(c.isdigit() for c in name):
                yield name
            yield from _scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(inner)
    elif isinstance(value, str) and len(value) <= 80:
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)
