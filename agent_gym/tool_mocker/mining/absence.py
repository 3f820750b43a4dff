"""Recorded look-ups in, absence rules out: how likely a thing that the record does not show is to not exist.

An id that no record shows may be wrong, or may just never have been asked for. How often it was wrong is
counted over the recorded calls themselves, for ids of a known and of an unknown shape, in two settings: a
session in a recorded case (whose own records are known) and one in a case nobody has seen.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.queries import QueryRule
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.predicates import shape
from agent_gym.types import Json

__all__ = ["AbsenceRule", "find_absence", "known_values", "with_shared"]

_MIN_ERRORS = 2
_SURE = 0.6


@dataclass(frozen=True, slots=True)
class AbsenceRule:
    """The error for what does not exist, and whether to expect it: (in a recorded case, shape is known) → share."""

    error: Json
    shares: Mapping[tuple[bool, bool], float]
    shapes: frozenset[str]
    evidence: tuple[str, ...]

    def denies(self, value: str, *, anchored: bool) -> float | None:
        """How surely the value does not exist, or None where it may well."""
        return self._share(anchored=anchored, known_shape=shape(value) in self.shapes)

    def _share(self, *, anchored: bool, known_shape: bool) -> float | None:
        share = self.shares.get((anchored, known_shape), 0.0)
        return share if share >= _SURE else None

    def expected(self) -> list[str]:
        """What it denies, and how surely, in words. One that never denies is no rule to tell of."""
        looks = {True: "an id like the known ones", False: "an id unlike them" if self.shapes else "anything"}
        return [
            f"{look} in a {case} case ({share:.0%} sure)"
            for case, anchored in (("recorded", True), ("new", False))
            for known, look in looks.items()
            if (share := self._share(anchored=anchored, known_shape=known)) is not None
        ]

    def words(self) -> str:
        denied = ", ".join(self.expected()) or "nothing"
        return f"answers {canonical(self.error).decode()} to what the record does not show: {denied}"


def find_absence(
    calls: Sequence[Recorded],
    subject: Subject | None,
    query: QueryRule | None,
    shown_in: Mapping[str, str | None],
) -> AbsenceRule | None:
    """`shown_in`: value → the conversation whose results show it, apart from errors; None: several do."""
    forms = [canonical(call.result) if call.is_error else b"" for call in calls]
    errors = Counter(form for form in forms if form)
    if not errors or (subject is None and query is None):
        return None
    error, seen = max(errors.items(), key=lambda item: (item[1], item[0]))
    if seen < _MIN_ERRORS:
        return None
    shapes = frozenset(
        shape(asked) for call in calls if not call.is_error for asked in [_asked(call, subject)] if asked
    )
    counts: dict[tuple[bool, bool], list[int]] = {}
    for call, form in zip(calls, forms, strict=True):
        value = _asked(call, subject)
        if call.is_error and form != error:
            continue
        for anchored in (True, False):
            if _shown(call, subject, query, shown_in, anchored=anchored):
                continue
            place = (anchored, value is not None and shape(value) in shapes)
            row = counts.setdefault(place, [0, 0])
            row[0] += call.is_error
            row[1] += 1
    denied = [call for call, form in zip(calls, forms, strict=True) if form == error]
    # One more look-up of each kind, half of them wrong: few examples do not make a rule.
    shares = {place: (wrong + 0.5) / (n + 1) for place, (wrong, n) in counts.items()}
    return AbsenceRule(denied[0].raw, shares, shapes, tuple(dict.fromkeys(c.conversation_id for c in denied))[:5])


def with_shared(
    absences: Mapping[str, AbsenceRule | None], queries: Mapping[str, QueryRule | None]
) -> dict[str, AbsenceRule | None]:
    """Two ways to find one kind of record deny it in the same words, though only one of them had to."""
    lent: dict[str, AbsenceRule] = {}
    for name, absence in sorted(absences.items()):
        query = queries.get(name)
        if absence is not None and query is not None:
            lent.setdefault(query.table, absence)
    found = dict(absences)
    for name, query in queries.items():
        if query is not None and found.get(name) is None:
            found[name] = lent.get(query.table)
    return found


def _asked(call: Recorded, subject: Subject | None) -> str | None:
    value = call.arguments.get(subject.argument) if subject is not None else None
    return str(value) if isinstance(value, str | int) else None


def _shown(
    call: Recorded,
    subject: Subject | None,
    query: QueryRule | None,
    shown_in: Mapping[str, str | None],
    *,
    anchored: bool,
) -> bool:
    """Whether what the call asks for is known from elsewhere: in a recorded case its own conversation counts too."""
    if subject is not None:
        asked = _asked(call, subject)
    else:
        wanted = query.wanted(call.arguments) if query is not None else None
        asked = query.index.get(wanted) if query is not None and wanted is not None else None
    if asked is None:
        return False
    return asked in shown_in and (anchored or shown_in[asked] != call.conversation_id)


def known_values(calls: Iterable[Recorded], subjects: Mapping[str, Subject]) -> dict[str, str | None]:
    """value → the conversation in which a result shows it that is not the look-up of that very value; None: several."""
    shown: dict[str, str | None] = {}
    for call in calls:
        if call.is_error:
            continue
        asked = _asked(call, subjects.get(call.name))
        for value in _scalars(call.result):
            if value != asked and shown.setdefault(value, call.conversation_id) != call.conversation_id:
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
