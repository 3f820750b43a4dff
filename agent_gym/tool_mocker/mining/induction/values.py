"""Explains a value that stands elsewhere as it is: in the call, in the record; or that something else decides."""

from collections import Counter
from collections.abc import Mapping, Sequence

from agent_gym.tool_mocker.mining.induction.agreement import Column, Wanted, agreed, needed
from agent_gym.tool_mocker.rules.expressions import Const, Expr, Mapped, Path

__all__ = ["is_word", "mapped", "same_as", "usual"]

_FEW_WORDS = 12


def same_as(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """A value of the call, a constant, or a value of anything else: whichever explains most, in this order."""
    given = [column for column in columns if _varies_or_bears_the_name(column, wanted.name)]
    found = [_best(given, wanted)]
    if len({form for form in wanted.forms if form is not None}) == 1:
        found.append((Const(wanted.known[0]), len(wanted.known)))
    found.append(_best(columns, wanted))
    rules = [rule for rule in found if rule is not None]
    return max(rules, key=lambda rule: rule[1])[0] if rules else None


def _varies_or_bears_the_name(column: Column, name: str) -> bool:
    """An argument that is the same in every call explains a constant no better than the constant does."""
    path = column.expr
    if not isinstance(path, Path) or path.root not in ("argument", "pair"):
        return False
    return len(set(column.forms)) > 1 or path.steps[-1:] == (name,)


def _best(columns: Sequence[Column], wanted: Wanted) -> tuple[Expr, int] | None:
    """The expression that has the very value most often, among equals the first; and how often."""
    best: tuple[Expr, int] | None = None
    for column in columns:
        hits = agreed(column.forms, wanted.forms)
        if hits is not None and (best is None or hits > best[1]):
            best = (column.expr, hits)
    return best


def usual(wanted: Wanted) -> Expr | None:
    """A scalar that at least half of the examples have."""
    scalars = {f: v for v, f in zip(wanted.values, wanted.forms, strict=True) if not isinstance(v, Mapping | list)}
    counts = Counter(form for form in wanted.forms if form is not None and form in scalars)
    form, times = counts.most_common(1)[0] if counts else (b"", 0)
    return Const(scalars[form]) if times and 2 * times >= len(wanted.values) else None


def is_word(wanted: Wanted) -> bool:
    """Whether the values are a few scalars that come again."""
    scalar = not any(isinstance(value, Mapping | list) for value in wanted.values)
    return scalar and len(set(wanted.forms) - {None}) <= _FEW_WORDS


def mapped(columns: Sequence[Column], wanted: Wanted) -> Expr | None:
    """A constant for each value of another expression."""
    constants = {form: v for v, form in zip(wanted.values, wanted.forms, strict=True) if form is not None}
    for column in columns:
        votes: dict[bytes, Counter[bytes]] = {}
        for key, form in zip(column.forms, wanted.forms, strict=True):
            if key is not None and form is not None:
                votes.setdefault(key, Counter())[form] += 1
        seen = sum(counts.total() for counts in votes.values())
        right = sum(max(counts.values()) for counts in votes.values())
        # Many keys with one example each would be a look-up table of the past, not a rule.
        if seen == len(wanted.known) and right >= needed(seen) and 1 < len(votes) <= seen / 2:
            return Mapped(column.expr, {key: constants[counts.most_common(1)[0][0]] for key, counts in votes.items()})
    return None
