"""What the rules of each tool have earned: how often their answers were right on cases that they had not seen.

A rule's precision on a tool is drawn towards what it earned over all tools, where it was seldom tried there, and that
towards the documented prior of such rules. Order, label and stated confidence follow from it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

__all__ = ["REFUSAL", "Checked", "Earned", "Outcome", "Precision"]

REFUSAL = "refusal"  # the rule that has reasons of its own
_SURE = 0.97  # the precision from which on an answer is more than a guess: what a label promises
_OFTEN = 5  # how many answers that are all right are enough, whatever other tools have earned; fewer tell little
_CHANCE = 2  # so many calls fewer do not show that another rule is better
_OF_ALL_TOOLS = 3.0  # how many answers the precision over all tools counts for
_OF_PRIOR = 6.0  # and how many the prior counts for


class Checked(NamedTuple):
    """How many answers were compared with the record, and how many of them were the same."""

    right: int
    asked: int

    def plus(self, other: "Checked") -> "Checked":
        return Checked(self.right + other.right, self.asked + other.asked)

    def drawn(self, towards: float, weight: float) -> float:
        """The share that was right, drawn towards another by so many more answers."""
        return (self.right + towards * weight) / (self.asked + weight)


_NONE = Checked(0, 0)


class Outcome(NamedTuple):
    """What the rules answered to a held-out call: which of them did, and whether rightly."""

    right: Mapping[str, bool]
    touched: bool  # whether the answer depends on what the conversation had done before
    reason: str = ""  # why the refusal rule refuses it, if it does
    refused: bool = False  # whether it was refused indeed


class Earned(NamedTuple):
    """What a rule has earned on a tool: the share of its answers that is right, and whether they are no guesses."""

    share: float
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Precision:
    """The rules of each tool in the order that they have earned, and what they earned in it."""

    priors: Mapping[str, float]  # rule → how often it is right where nothing is known; also the order to start from
    orders: Mapping[str, tuple[str, ...]]
    by_tool: Mapping[tuple[str, str, bool], Checked]  # (tool, rule, where the answer depends on earlier writes)
    by_rule: Mapping[tuple[str, bool], Checked]
    wrong_reasons: Mapping[str, frozenset[str]]  # tool → why it refuses, and mostly should not

    @classmethod
    def of(cls, outcomes: Mapping[str, Sequence[Outcome]], priors: Mapping[str, float]) -> Self:
        orders: dict[str, tuple[str, ...]] = {}
        by_tool: dict[tuple[str, str, bool], Checked] = {}
        by_rule: dict[tuple[str, bool], Checked] = {}
        wrong = {tool: _wrong_reasons(calls) for tool, calls in outcomes.items()}
        for tool, all_calls in outcomes.items():
            calls = [_without(call, wrong[tool]) for call in all_calls]
            orders[tool] = tuple(_ordered([call.right for call in calls], priors))
            for touched in (False, True):
                some = [call.right for call in calls if call.touched is touched]
                for rule, checked in _counted(some).items():
                    by_rule[rule, touched] = by_rule.get((rule, touched), _NONE).plus(checked)
                for rule, checked in _left_to(orders[tool], some):
                    by_tool[tool, rule, touched] = checked
        return cls(priors, orders, by_tool, by_rule, {tool: reasons for tool, reasons in wrong.items() if reasons})

    def of_rule(self, tool: str, rule: str, *, touched: bool) -> Earned:
        """It is sure if it was tried on the tool and never wrong, or hardly ever is; untried, if its prior says so."""
        own = self.by_tool.get((tool, rule, touched), _NONE)
        over_all = self.by_rule.get((rule, touched), _NONE).drawn(self.priors[rule], _OF_PRIOR)
        if not own.asked:  # what other tools have earned may only speak against it
            over_all = min(over_all, self.priors[rule])
        share = own.drawn(over_all, _OF_ALL_TOOLS)
        return Earned(share, (own.asked >= _OFTEN and own.right == own.asked) or share >= _SURE)

    def order(self, tool: str) -> tuple[str, ...]:
        return self.orders.get(tool, tuple(self.priors))

    def validated(self, tool: str) -> Iterator[tuple[str, Checked]]:
        """The rules that were tried on a tool, in their order, each with what it did."""
        for rule in self.order(tool):
            before, after = (self.by_tool.get((tool, rule, touched), _NONE) for touched in (False, True))
            checked = before.plus(after)
            if checked.asked:
                yield rule, checked


def _wrong_reasons(calls: Sequence[Outcome]) -> frozenset[str]:
    told: dict[str, Checked] = {}
    for call in calls:
        if call.reason:
            told[call.reason] = told.get(call.reason, _NONE).plus(Checked(call.refused, 1))
    return frozenset(reason for reason, checked in told.items() if 2 * checked.right < checked.asked)


def _without(call: Outcome, reasons: frozenset[str]) -> Outcome:
    if call.reason not in reasons:
        return call
    return call._replace(right={rule: right for rule, right in call.right.items() if rule != REFUSAL})


def _counted(calls: Iterable[Mapping[str, bool]]) -> dict[str, Checked]:
    found: dict[str, Checked] = {}
    for right in calls:
        for rule, was_right in right.items():
            found[rule] = found.get(rule, _NONE).plus(Checked(was_right, 1))
    return found


def _left_to(order: Sequence[str], calls: Sequence[Mapping[str, bool]]) -> Iterator[tuple[str, Checked]]:
    """What each rule did on the calls that none before it answers; where these are few, on all that it answers."""
    on_all, left = _counted(calls), list(calls)
    for rule in order:
        checked = _counted(left).get(rule, _NONE)
        if rule in on_all:
            yield rule, checked if checked.asked >= _OFTEN else on_all[rule]
        left = [right for right in left if rule not in right]


def _ordered(calls: Sequence[Mapping[str, bool]], priors: Mapping[str, float]) -> list[str]:
    """The rules, those last that are never right; each in its place but where calls are answered right more later."""
    own = _counted(calls)
    doubtful = (rule for rule in own if priors[rule] < _SURE)  # what was recorded may just seldom be asked again
    poor = [rule for rule in doubtful if not own[rule].right and own[rule].asked >= _OFTEN]
    order: list[str] = []
    told = [False] * len(calls)  # whether the order as far as it is known answers them right
    for rule in (*reversed(poor), *(rule for rule in reversed(tuple(priors)) if rule not in poor)):
        answered = [at for at, right in enumerate(calls) if rule in right]
        gain = sum(calls[at][rule] - told[at] for at in answered)
        if gain > -_CHANCE:
            order.insert(0, rule)
            for at in answered:
                told[at] = calls[at][rule]
            continue
        places = ([*order[:at], rule, *order[at:]] for at in range(1, len(order) + 1))
        order = max(places, key=lambda one: sum(_first(one, right) for right in calls))
        told = [_first(order, right) for right in calls]
    return order


def _first(order: Sequence[str], right: Mapping[str, bool]) -> bool:
    return next((right[rule] for rule in order if rule in right), False)
