"""What a business calls its things: recorded conversations in, names of ids and the values of fields out.

A plan is `NET-300` to the tool and "Fibre 300" to everybody else. Only what the tools told several customers is kept:
what belongs to one customer is not for others to hear.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.agent.embedded.leaves import arguments_of, failed, is_specific, norm_of, scalars
from agent_gym.agent.embedded.reading import tokens, values_in
from agent_gym.text import parsed
from agent_gym.types import Json, Trace, paired_calls

__all__ = ["LONGEST", "Catalogue"]

_TRACES = 2000  # conversations that are read: what everybody is told is told often
LONGEST = 6  # words of a name, or of a value
_FIELDS = ("date", "time", "phone", "email", "url", "amount")  # kinds of value that name nothing

_Row = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`names`: norm of an id → by field, what it is called. `values`: field → norm → value."""

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)

    @classmethod
    def of(cls, traces: Sequence[Trace]) -> "Catalogue":
        traces = traces[:: max(1, -(-len(traces) // _TRACES))]
        customers = [_ids_given(trace) for trace in traces]
        where: dict[tuple[str, str], set[int]] = defaultdict(set)  # (field, norm) → conversations
        forms: dict[tuple[str, str], Json] = {}
        beside: dict[str, set[tuple[str, str]]] = defaultdict(set)  # text → (its field, norm of the id beside it)
        rows = [(number, row) for number, trace in enumerate(traces) for row in _rows(trace)]
        ids = _id_fields(row for _, row in rows)
        for number, row in rows:
            for name, value in row.items():
                where[name, norm_of(value)].add(number)
                forms.setdefault((name, norm_of(value)), value)
            for key in sorted(ids & row.keys()):
                for name, value in row.items():
                    if name not in ids and isinstance(value, str):
                        beside[value].add((name, norm_of(row[key])))
        common = {key for key, numbers in where.items() if _of_several(sorted(numbers), customers, key[1])}
        return cls(_names(beside, common), _values(forms, common))

    def called(self, norm: str) -> Sequence[str]:
        """What people call the thing of this id."""
        return list(self.names.get(norm, {}).values())

    def things(self) -> frozenset[str]:
        """The norms of all that things are called."""
        return frozenset(norm_of(name) for names in self.names.values() for name in names.values())


def _rows(trace: Trace) -> Iterator[_Row]:
    """The records the tools told of, each as its short fields."""
    for _, answer in paired_calls(trace.messages):
        if answer is None or failed(answer):
            continue
        held: dict[int, _Row] = {}
        holders = []  # kept alive, so that no two have one id
        for path, value, holder in scalars(parsed(answer.result)):
            if isinstance(holder, Mapping) and not isinstance(value, bool) and _is_short(value):
                holders.append(holder)
                held.setdefault(id(holder), {})[path.rsplit(".", 1)[-1]] = value
        yield from held.values()


def _is_short(value: Json) -> bool:
    if not isinstance(value, str):
        return True
    return 0 < len(tokens(value)) <= LONGEST and not any(each.kind in _FIELDS for each in values_in(value))


def _id_fields(rows: Iterator[_Row]) -> frozenset[str]:
    """The fields whose values mostly look like ids: one that does not is an id too."""
    values: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str):
                values[name].add(value)
    return frozenset(
        name
        for name, each in values.items()
        if 2 * sum(is_specific(v) for v in each) > len(each) and not any(" " in value for value in each)
    )


def _ids_given(trace: Trace) -> frozenset[str]:
    """What the conversation's calls were about."""
    given = (value for call, _ in paired_calls(trace.messages) for _, value, _ in scalars(arguments_of(call)))
    return frozenset(norm_of(value) for value in given if is_specific(value))


def _of_several(numbers: Sequence[int], customers: Sequence[frozenset[str]], norm: str) -> bool:
    """Whether the conversations are of different customers: nothing else is common to what they were about."""
    if len(numbers) < 2:
        return False
    shared = customers[numbers[0]] - {norm}
    for number in numbers[1:]:
        shared &= customers[number]
        if not shared:
            return True
    return False


def _names(beside: Mapping[str, set[tuple[str, str]]], common: set[tuple[str, str]]) -> Mapping[str, Mapping[str, str]]:
    """A text that stands beside one id and no other is its name."""
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for text, places in sorted(beside.items()):
        if len({norm for _, norm in places}) == 1:
            for name, norm in sorted(places):
                if (name, norm_of(text)) in common:
                    names[norm].setdefault(name, text)
    return dict(names)


def _values(forms: Mapping[tuple[str, str], Json], common: set[tuple[str, str]]) -> Mapping[str, Mapping[str, Json]]:
    values: dict[str, dict[str, Json]] = defaultdict(dict)
    for name, norm in sorted(common):
        values[name][norm] = forms[name, norm]
    return dict(values)
