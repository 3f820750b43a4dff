"""Recorded calls in, what their arguments mean to the answer out: how much each tells, and what it is if not given."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.sites import nodes
from agent_gym.types import Json

__all__ = ["argument_weights", "placed_leaves", "usual_arguments"]

_MOST_PAIRS = 24  # of each kind: enough to tell a city from a time of day
_MOST_CALLS = 500
_TELLS_ALL = 1.0  # two answers share no more than all
_MIN_SILENT = 3


@dataclass(frozen=True, slots=True)
class _Told:
    forms: Mapping[str, bytes]
    leaves: frozenset[tuple[str, bytes]]  # what the answer tells beside what the call said


def argument_weights(calls: Sequence[Recorded]) -> dict[str, float]:
    """argument → how much agreeing on it adds to the likeness of two answers; nothing where it adds nothing.

    An argument on which no two calls that differ ever agree names the thing asked about: an account's list, asked for
    with another limit, is nearer than the list of another account.
    """
    rows = [_told(call) for call in calls[:_MOST_CALLS]]
    usual = _likeness(zip(rows, rows[len(rows) // 2 :], strict=False))
    weights = {}
    for name in sorted({name for row in rows for name in row.forms}):
        pairs = list(itertools.islice(_agreeing(name, rows), _MOST_PAIRS))
        weight = _likeness(pairs) - usual if pairs else _TELLS_ALL
        if weight > 0:
            weights[name] = round(weight, 3)
    return weights


def _told(call: Recorded) -> _Told:
    forms = {name: canonical(value) for name, value in call.arguments.items()}
    given = frozenset(forms.values())
    return _Told(forms, frozenset(leaf for leaf in placed_leaves(call.result) if leaf[1] not in given))


def placed_leaves(value: Json, path: str = "") -> Iterator[tuple[str, bytes]]:
    """Every scalar in canonical form with the place it stands at; elements of a list share one."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from placed_leaves(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from placed_leaves(inner, f"{path}[]")
    else:
        yield path, canonical(value)


def _agreeing(name: str, rows: Sequence[_Told]) -> Iterator[tuple[_Told, _Told]]:
    """Pairs of calls that differ, but not in the argument; few of each of its values."""
    last: dict[bytes, _Told] = {}
    for row in rows:
        form = row.forms.get(name)
        if form is None:
            continue
        before = last.get(form)
        if before is not None and before.forms != row.forms:
            yield before, row
        last[form] = row


def _likeness(pairs: Iterable[tuple[_Told, _Told]]) -> float:
    """The mean share of what two answers tell that both tell."""
    found = [_shared(a, b) for a, b in itertools.islice(pairs, _MOST_PAIRS)]
    return sum(found) / len(found) if found else 0.0


def _shared(a: _Told, b: _Told) -> float:
    both = len(a.leaves) + len(b.leaves)
    return 2 * len(a.leaves & b.leaves) / both if both else 1.0


def usual_arguments(calls: Sequence[Recorded]) -> dict[str, Json]:
    """argument → what it is taken to be where it is not given: what the answers then show under its name."""
    names = sorted({name for call in calls for name in call.arguments})
    found = {}
    for name in names:
        silent = [call for call in calls[:_MOST_CALLS] if name not in call.arguments]
        shown = [node.fields[name] for call in silent for node in nodes(call.result) if name in node.fields]
        if len(silent) >= _MIN_SILENT and shown and len({canonical(value) for value in shown}) == 1:
            found[name] = shown[0]
    return found
