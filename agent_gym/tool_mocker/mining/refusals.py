"""Refused and accepted calls in, refusal rules out: the condition, and the words of the error.

A rule must hold for nearly every call that got its error and for hardly any accepted one. Few examples prove
little, so among the conditions that do, the one whose words the error itself uses is preferred, and a single
example is believed only then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.text import canonical, tokens
from agent_gym.tool_mocker.mining.atoms import TablesOf
from agent_gym.tool_mocker.mining.conditions import conditions
from agent_gym.tool_mocker.mining.error_texts import masked, wording
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.rules.context import Context
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.tool_mocker.rules.limits import Beyond, Unless
from agent_gym.tool_mocker.rules.predicates import Compared, Equal, Predicate

__all__ = ["RefusalRule", "find_refusals"]

_MOST_EXAMPLES = 80
_COVERS = 0.75  # of the refused calls whose condition can be told
_MANY = 5  # refused calls: a limit that they do not name needs so many
_BROKEN = 0.02  # of the accepted calls: a log has its odd ones


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
    told = set(tokens(str(refused[0].error)))
    best: tuple[_Quality, Predicate] | None = None
    for condition in conditions(bad, accepted, tables_of, writes=writes):
        quality = _quality(condition, bad, accepted, told)
        if quality is not None and (best is None or quality > best[0]):
            best = (quality, condition)
    if best is None:
        return None
    quality, condition = best
    different = len({canonical([context.arguments, context.record]) for context in bad})
    if different < 2 and (quality.shared_words == 0 or isinstance(condition, Equal | Compared)):
        return None
    if different < _MANY and quality.shared_words == 0 and isinstance(condition, Beyond | Unless):
        return None  # a few calls are all beyond something
    evidence = tuple(dict.fromkeys(moment.call.conversation_id for moment in refused))[:5]
    return RefusalRule(condition, error, len(refused), evidence)


class _Quality(NamedTuple):
    """How well a condition explains an error: compared field by field, more is better."""

    covered: float  # the share of the refused calls it holds for, with a bonus for the words it shares
    shared_words: int  # with the error's text
    brevity: int


def _quality(
    condition: Predicate, bad: Sequence[Context], accepted: Sequence[Context], told: set[str]
) -> _Quality | None:
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
    shared = len(told & set(tokens(words.replace("_", " ").replace(".", " "))))
    return _Quality(round(covered + 0.15 * min(2, shared), 2), shared, -len(words))


def _covered(condition: Predicate, bad: Sequence[Context]) -> float | None:
    """The share of the refused calls it holds for, of those it can tell; None as soon as that is too few."""
    told = held = 0
    for context in bad:
        found = condition.holds(context)
        told += found is not None
        held += found is True
        # Thousands of conditions are tried and nearly all fail: most of them within the first few calls.
        if told - held > (1 - _COVERS) * len(bad):
            return None
    return held / told if told and 2 * told >= len(bad) and held >= _COVERS * told else None


def _wins(rule: RefusalRule, found: Sequence[tuple[RefusalRule, Sequence[Moment]]]) -> int:
    """How much more often the rule's error was given where another rule held too than the other way round."""
    own = next(moments for known, moments in found if known is rule)
    return sum(
        sum(other.condition.holds(moment.context) is True for moment in own)
        - sum(rule.condition.holds(moment.context) is True for moment in moments)
        for other, moments in found
        if other is not rule
    )
