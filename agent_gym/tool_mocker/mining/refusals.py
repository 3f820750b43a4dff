"""Refused and accepted calls in, refusal rules out: the condition, and the words of the error.

A rule must hold for nearly every call that got its error and for hardly any accepted one. Few examples prove
little, so among the conditions that do, the one whose words the error itself uses is preferred, and a single
example is believed only then.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.conditions import conditions, exceptions
from agent_gym.tool_mocker.mining.error_texts import masked, shared_words, wording
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.rules.context import Context
from agent_gym.tool_mocker.rules.expressions import Expr, Path
from agent_gym.tool_mocker.rules.limits import Beyond, Unless
from agent_gym.tool_mocker.rules.predicates import (
    Both,
    Compared,
    Equal,
    Misshapen,
    NotAmong,
    NotMember,
    Predicate,
    Unnamed,
)
from agent_gym.types import Json

__all__ = ["RefusalRule", "find_refusals"]

_MOST_EXAMPLES = 80
_COVERS = 0.75  # of the refused calls whose condition can be told
_COVERS_SOME = 0.4  # enough where the error has other reasons too, but speaks of this one, and
_UNBROKEN = 10  # so many accepted calls keep to it
_MANY = 5  # refused calls: a limit that they do not name needs so many
_BROKEN = 0.02  # of the accepted calls: a log has its odd ones
_EXCEPTED = 0.25  # of the accepted calls: more are no exception


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
    refused: Sequence[Moment], accepted: Sequence[Moment], tables_of: TablesOf, *, writes: bool
) -> tuple[RefusalRule, ...]:
    """The rules, most often seen first; where two conditions hold at once, the one that won in the record."""
    groups: dict[bytes, list[Moment]] = {}
    for moment in _distinct(refused):
        groups.setdefault(masked(moment), []).append(moment)
    good = [moment.context for moment in accepted[:_MOST_EXAMPLES]]
    found: list[tuple[RefusalRule, Sequence[Moment]]] = []
    for _, moments in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        rule = _rule(moments[:_MOST_EXAMPLES], good, tables_of, writes=writes)
        if rule is not None:
            found.append((rule, moments))
    return tuple(sorted((rule for rule, _ in found), key=lambda rule: -_wins(rule, found)))


def _distinct(moments: Sequence[Moment]) -> list[Moment]:
    """Each call once: one that was tried again and again proves no more than once."""
    first = {canonical([moment.context.arguments, moment.error]): moment for moment in reversed(moments)}
    return list(reversed(first.values()))


def _rule(
    refused: Sequence[Moment], accepted: Sequence[Context], tables_of: TablesOf, *, writes: bool
) -> RefusalRule | None:
    """The rule for calls that all got one error, if a condition tells them from the accepted ones."""
    bad = [moment.context for moment in refused]
    if 2 * sum(not c.record for c in bad) > len(bad) and 2 * sum(bool(c.record) for c in accepted) > len(accepted):
        return None  # what it is about is not known: whether it exists at all is counted elsewhere
    error = wording(refused, tables_of)
    if error is None or not accepted:
        return None
    told = refused[0].error
    tried = list(conditions(bad, accepted, tables_of, writes=writes))
    different = len({canonical([context.arguments, context.record]) for context in bad})
    condition = _best(tried, bad, accepted, told, different)
    if condition is None and different > 1:
        excepting = _with_exceptions(tried, bad, accepted, told, tables_of)
        condition = _best(excepting, bad, accepted, told, different)
    if condition is None:
        return None
    evidence = tuple(dict.fromkeys(moment.call.conversation_id for moment in refused))[:5]
    return RefusalRule(condition, error, len(refused), evidence)


def _best(
    tried: Iterable[Predicate], bad: Sequence[Context], accepted: Sequence[Context], told: Json, different: int
) -> Predicate | None:
    """The condition that explains the refusals best, if one does; so many of them are different."""
    best: tuple[_Quality, Predicate] | None = None
    for condition in tried:
        quality = _quality(condition, bad, accepted, told)
        if quality is None or not _believed(condition, quality, different):
            continue
        if best is None or quality > best[0]:
            best = (quality, condition)
    return best[1] if best is not None else None


def _believed(condition: Predicate, quality: "_Quality", different: int) -> bool:
    """Whether so many examples are enough. One is if the error speaks of the condition, and that is not one of
    thousands; a few calls are all beyond something, so a limit that the error does not name needs many."""
    if isinstance(condition, Beyond | Unless):
        return quality.shared_words > 0 or different >= _MANY
    if different > 1:
        return True
    if isinstance(condition, Equal):
        of_the_call = all(isinstance(e, Path) and e.root == "argument" for e in (condition.left, condition.right))
        return of_the_call and quality.shared_words > 1
    if isinstance(condition, Misshapen):
        return quality.shared_words > 1
    return quality.shared_words > 0 and not isinstance(condition, Compared | Unnamed)


def _with_exceptions(
    tried: Iterable[Predicate], bad: Sequence[Context], accepted: Sequence[Context], told: Json, tables_of: TablesOf
) -> Iterator[Predicate]:
    """Conditions that the error speaks of and a few accepted calls break, with what those have in common excepted."""
    for first in tried:
        if not isinstance(first, NotMember | NotAmong) or _covered(first, bad) != 1.0:
            continue
        broken = [context for context in accepted if first.holds(context)]
        if 0 < len(broken) <= _EXCEPTED * len(accepted) and shared_words(first.words(), told):
            yield from (Both(first, second) for second in exceptions(first.inner, bad, broken, accepted, tables_of))


class _Quality(NamedTuple):
    """How well a condition explains an error: compared field by field, more is better."""

    alone: bool  # no other reason is needed
    covered: float  # the share of the refused calls it holds for, with a bonus for the words it shares
    shared_words: int  # with the error's text
    definite: int  # two values that differ say more than one that is smaller; what nobody has seen says least
    brevity: int


def _quality(condition: Predicate, bad: Sequence[Context], accepted: Sequence[Context], told: Json) -> _Quality | None:
    """None for a condition that explains too little, or is true of accepted calls too."""
    covered = _covered(condition, bad)
    if covered is None:
        return None
    told_apart = broken = 0
    for context in accepted:
        held = condition.holds(context)
        told_apart += held is not None
        broken += held is True
        if broken > _BROKEN * len(accepted):
            return None
    if 2 * told_apart < len(accepted):
        return None
    words = condition.words()
    shared = shared_words(words, told)
    if covered < _COVERS and (shared < 2 or broken or told_apart < _UNBROKEN):
        return None
    definite = 0 if isinstance(condition, Unnamed) else 1 if isinstance(condition, Compared | Misshapen) else 2
    bonus = 0.15 * min(2, shared)
    return _Quality(covered >= _COVERS, round(covered + bonus, 2), shared, definite, -len(words))


def _covered(condition: Predicate, bad: Sequence[Context]) -> float | None:
    """The share of the refused calls it holds for, of those it can tell; None as soon as that is too few."""
    told = held = 0
    needed = _COVERS_SOME if len(bad) > 1 else _COVERS
    for context in bad:
        found = condition.holds(context)
        told += found is not None
        held += found is True
        # Thousands of conditions are tried and nearly all fail: most of them within the first few calls.
        if told - held > (1 - needed) * len(bad):
            return None
    enough = held >= _COVERS * told or (held > 1 and held >= needed * told)
    return held / told if told and 2 * told >= len(bad) and enough else None


def _wins(rule: RefusalRule, found: Sequence[tuple[RefusalRule, Sequence[Moment]]]) -> int:
    """How much more often the rule's error was given where another rule held too than the other way round."""
    own = next(moments for known, moments in found if known is rule)
    return sum(
        sum(other.condition.holds(moment.context) is True for moment in own)
        - sum(rule.condition.holds(moment.context) is True for moment in moments)
        for other, moments in found
        if other is not rule
    )
