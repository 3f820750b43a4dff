"""Refused and accepted calls in, refusal rules out: the condition, and the words of the error.

A rule must hold for nearly every call that got its error and for no accepted one. Few examples prove little,
so among the conditions that do, the one whose words the error itself uses is preferred, and a single example
is believed only then.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import canonical, tokens
from agent_gym.tool_mocker.mining.atoms import TablesOf, atoms_of
from agent_gym.tool_mocker.mining.induction import Inducer
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Const, Expr, Lookup, Path, Template, Total, Unary
from agent_gym.tool_mocker.rules.predicates import (
    Compared,
    Equal,
    Misshapen,
    NotAmong,
    NotMember,
    NotYet,
    Predicate,
    Unnamed,
    shape,
)
from agent_gym.types import Json

__all__ = ["Attempt", "RefusalRule", "find_refusals"]

_MOST_EXAMPLES = 80
_FEW_VALUES = 6
_FEW_SHAPES = 3
_COVERS = 0.75  # of the refused calls whose condition can be told


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call in its context, and the error it got, if any."""

    context: Context
    error: Json
    conversation_id: str


@dataclass(frozen=True, slots=True)
class RefusalRule:
    """When the tool refuses, and with which words."""

    condition: Predicate
    error: Expr
    examples: int
    evidence: tuple[str, ...]

    def words(self) -> str:
        return f"refused with {self.error.words()} where {self.condition.words()}"


def find_refusals(
    refused: Sequence[Attempt], accepted: Sequence[Attempt], tables_of: TablesOf, *, writes: bool
) -> tuple[RefusalRule, ...]:
    """The rules, most often seen first; where two conditions hold at once, the one that won in the record."""
    groups: dict[bytes, list[Attempt]] = {}
    for attempt in _distinct(refused):
        groups.setdefault(_masked(attempt), []).append(attempt)
    good = [attempt.context for attempt in accepted[:_MOST_EXAMPLES]]
    found: list[tuple[RefusalRule, list[Attempt]]] = []
    for _, attempts in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        rule = _rule(attempts[:_MOST_EXAMPLES], good, tables_of, writes=writes)
        if rule is not None:
            found.append((rule, attempts))
    return tuple(rule for rule, _ in _in_order(found))


def _distinct(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Each call once: one that was tried again and again proves no more than once."""
    first = {canonical([attempt.context.arguments, attempt.error]): attempt for attempt in reversed(attempts)}
    return list(reversed(first.values()))


def _rule(
    attempts: Sequence[Attempt], accepted: Sequence[Context], tables_of: TablesOf, *, writes: bool
) -> RefusalRule | None:
    bad = [attempt.context for attempt in attempts]
    error = _wording(attempts, tables_of)
    if error is None or not accepted:
        return None
    told = set(tokens(str(attempts[0].error)))
    best: tuple[tuple[float, int, int], Predicate] | None = None
    for condition in _conditions(bad, accepted, tables_of, writes=writes):
        quality = _quality(condition, bad, accepted, told)
        if quality is not None and (best is None or quality > best[0]):
            best = (quality, condition)
    if best is None:
        return None
    distinct = len({canonical([c.arguments, c.record]) for c in bad})
    if distinct < 2 and (best[0][1] == 0 or isinstance(best[1], Equal | Compared)):
        return None
    evidence = tuple(dict.fromkeys(attempt.conversation_id for attempt in attempts))[:5]
    return RefusalRule(best[1], error, len(attempts), evidence)


def _quality(
    condition: Predicate, bad: Sequence[Context], accepted: Sequence[Context], told: set[str]
) -> tuple[float, int, int] | None:
    """(share of refused calls covered and words shared with the error, those words, simplicity), or None."""
    on_bad = [held for context in bad if (held := condition.holds(context)) is not None]
    if not on_bad or 2 * len(on_bad) < len(bad):
        return None
    covered = sum(on_bad) / len(on_bad)
    if covered < _COVERS:
        return None
    told_apart = broken = 0
    for context in accepted:
        held = condition.holds(context)
        told_apart += held is not None
        broken += held is True
        if broken > 0.02 * len(accepted):
            return None
    if 2 * told_apart < len(accepted):
        return None
    words = condition.words()
    shared = len(told & set(tokens(words.replace("_", " ").replace(".", " "))))
    return round(covered + 0.15 * min(2, shared), 2), shared, -len(words)


def _conditions(
    bad: Sequence[Context], accepted: Sequence[Context], tables_of: TablesOf, *, writes: bool
) -> Iterator[Predicate]:
    atoms = atoms_of([*bad[:6], *accepted[:6]], tables_of)
    for atom in atoms:
        values = {
            form: value for c in accepted if (value := atom.value(c)) is not MISSING and (form := canonical(value))
        }
        scalar = all(not isinstance(value, Mapping | list) for value in values.values())
        if scalar and 0 < len(values) <= _FEW_VALUES and len(values) * 3 <= max(3, len(accepted)):
            seen = {
                form: v for c in bad if isinstance(v := atom.value(c), str) and (form := canonical(v)) not in values
            }
            yield NotAmong(atom, tuple(values[f] for f in sorted(values)), tuple(seen[f] for f in sorted(seen)))
    yield from _misshapen(atoms, accepted)
    if writes:
        yield from (NotYet(tool) for tool in sorted({tool for c in accepted[:20] for tool in c.done}))
        # what a look-up does not find may just never have been looked up: that is counted elsewhere
        yield from _unnamed(atoms, accepted, tables_of)
    yield from _memberships(atoms, bad)
    yield from _comparisons(atoms, bad)


def _misshapen(atoms: Sequence[Expr], accepted: Sequence[Context]) -> Iterator[Predicate]:
    for atom in atoms:
        if isinstance(atom, Path) and atom.root == "argument":
            values = [value for c in accepted if isinstance(value := atom.value(c), str | int)]
            shapes = frozenset(shape(str(value)) for value in values)
            if 0 < len(shapes) <= _FEW_SHAPES and len(values) >= 5:
                yield Misshapen(atom, shapes)


def _unnamed(atoms: Sequence[Expr], accepted: Sequence[Context], tables_of: TablesOf) -> Iterator[Predicate]:
    for atom in atoms:
        if isinstance(atom, Path) and atom.root == "argument" and len(atom.steps) == 1:
            values = [v for c in accepted[:6] if (v := atom.value(c)) is not MISSING]
            ids = [one for v in values for one in (v if isinstance(v, list) else [v]) if isinstance(one, str | int)]
            for table in sorted({table for one in ids for table in tables_of(str(one))}):
                yield Unnamed(atom, table)


def _memberships(atoms: Sequence[Expr], bad: Sequence[Context]) -> Iterator[Predicate]:
    given = [
        a for a in atoms if isinstance(a, Path) and a.root == "argument" and -1 not in a.steps and 0 not in a.steps
    ]
    for collection in atoms:
        if isinstance(collection, Path) and collection.root == "argument":
            continue
        value = next((v for c in bad if (v := collection.value(c)) is not MISSING), None)
        fields: tuple[str | None, ...] = (None,)
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            fields = tuple(name for name, inner in value[0].items() if isinstance(inner, str | int))
        elif not isinstance(value, list | Mapping):
            continue
        for inner in given:
            yield from (NotMember(inner, collection, name) for name in fields)


def _comparisons(atoms: Sequence[Expr], bad: Sequence[Context]) -> Iterator[Predicate]:
    scalars: list[tuple[Expr, Json]] = []
    for atom in atoms:
        value = next((v for c in bad if (v := atom.value(c)) is not MISSING), None)
        if value is not None and not isinstance(value, Mapping | list):
            scalars.append((atom, value))
    given = [(a, v) for a, v in scalars if _of_call(a)]
    for left, mine in given:
        for right, other in scalars:
            if left is right:
                continue
            if _number(mine) and _number(other):
                yield Compared(right, left)
                yield Compared(left, right)
            if type(mine) is type(other):
                yield Equal(left, right, "is not")
                yield Equal(left, right, "is")


def _of_call(atom: Expr) -> bool:
    """Whether the agent had a say in the value."""
    if isinstance(atom, Path):
        return atom.root == "argument"
    if isinstance(atom, Total):
        return _of_call(atom.items)
    if isinstance(atom, Unary):
        return _of_call(atom.inner)
    return isinstance(atom, Lookup) and _of_call(atom.key)


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _wording(attempts: Sequence[Attempt], tables_of: TablesOf) -> Expr | None:
    """The error as the tool words it: the same each time, or with values of the call and its record in place."""
    errors = [attempt.error for attempt in attempts]
    found = Inducer([attempt.context for attempt in attempts], tables_of).explain(errors)
    if isinstance(found, Const) and len(attempts) == 1 and isinstance(errors[0], str):
        # One example cannot show which words are values; the call's own values are.
        parts: list[str | Expr] = [errors[0]]
        for place, value in _given(attempts[0].context.arguments):
            parts = [piece for part in parts for piece in _split(part, value, place)]
        return Template(tuple(part for part in parts if part != ""))
    return found


def _given(arguments: Mapping[str, Json]) -> Iterator[tuple[Path, str]]:
    """The call's values that an error may repeat."""
    for name, value in sorted(arguments.items()):
        places = [(name, at) for at in (0, -1) if value] if isinstance(value, list) else [(name,)]
        for steps in places:
            given = value[steps[1]] if len(steps) > 1 else value
            if isinstance(given, str | int) and len(str(given)) >= 2:
                yield Path("argument", steps), str(given)


def _split(part: str | Expr, value: str, place: Expr) -> list[str | Expr]:
    if not isinstance(part, str) or value not in part:
        return [part]
    before, _, after = part.partition(value)
    return [before, place, after]


def _masked(attempt: Attempt) -> bytes:
    """The error without the values of this call: calls refused for one reason share it."""
    text = canonical(attempt.error).decode()
    for _, value in _given(attempt.context.arguments):
        text = text.replace(value, "…")
    return re.sub(r"\d+(?:\.\d+)?", "0", text).encode()


def _in_order(
    found: Sequence[tuple[RefusalRule, list[Attempt]]],
) -> list[tuple[RefusalRule, list[Attempt]]]:
    """A rule comes before another if its error won where both conditions held."""

    def wins(one: tuple[RefusalRule, list[Attempt]]) -> int:
        return sum(
            sum(other.condition.holds(attempt.context) is True for attempt in one[1])
            - sum(one[0].condition.holds(attempt.context) is True for attempt in attempts)
            for other, attempts in found
            if other is not one[0]
        )

    return sorted(found, key=lambda one: -wins(one))
