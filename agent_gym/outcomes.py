"""Traces in, what their outcome labels mean out: declared for the usual words, learned for others where ratings allow.

A label nobody has declared is learned only where ratings tell the declared good endings from the bad ones, and
its own ratings stand clearly with one of the two. Otherwise it decides nothing.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from agent_gym.types import Trace

__all__ = ["SUCCESS_LABELS", "Label", "Outcomes", "label_of", "outcomes_of", "rating_of"]

# What the outcome words of real logs mean.
SUCCESS_LABELS: Mapping[str, bool] = {
    "resolved": True, "success": True, "successful": True, "succeeded": True, "solved": True,
    "completed": True, "complete": True, "informed": True, "pass": True, "passed": True, "true": True,
    "unresolved": False, "failed": False, "failure": False, "fail": False, "abandoned": False,
    "escalated": False, "error": False, "incomplete": False, "cancelled_by_user": False, "false": False,
}  # fmt: skip
_RATINGS = 10  # fewer ratings of a label say nothing about it


class Label(NamedTuple):
    """One outcome word of the log. `success` is None where it decides nothing."""

    label: str
    success: bool | None
    how: Literal["declared", "learned", "unknown"]
    conversations: int
    ratings: int
    mean_rating: float | None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the labels of a body of traces mean; `why` says what could not be learned, and why."""

    labels: tuple[Label, ...] = ()
    unlabelled: int = 0
    why: str = ""

    def meaning(self) -> dict[str, bool]:
        learned = {row.label: row.success for row in self.labels if row.success is not None}
        return {**SUCCESS_LABELS, **learned}

    def table(self) -> str:
        """Lines to print: each label, what it counts as, and on what grounds."""
        lines = [f"{'outcome':24} {'counts as':10} {'how':9} {'conversations':>13} {'mean rating':>12}"]
        for row in self.labels:
            verdict = {True: "success", False: "failure", None: "nothing"}[row.success]
            mean = "–" if row.mean_rating is None else f"{row.mean_rating:.2f} of {row.ratings}"
            lines.append(f"{row.label[:24]:24} {verdict:10} {row.how:9} {row.conversations:>13} {mean:>12}")
        if self.unlabelled:
            lines.append(f"{'(none given)':24} {'nothing':10} {'':9} {self.unlabelled:>13}")
        return "\n".join([*lines, self.why] if self.why else lines)


def label_of(trace: Trace) -> str | None:
    """The outcome in the form labels are compared in."""
    return None if trace.outcome is None else trace.outcome.strip().lower()


def rating_of(trace: Trace) -> float | None:
    """The customer's rating, where it is a number at all."""
    rating = trace.satisfaction_score
    return float(rating) if rating is not None and math.isfinite(rating) else None


def outcomes_of(traces: Iterable[Trace]) -> Outcomes:
    counts: Counter[str] = Counter()
    ratings: dict[str, list[float]] = defaultdict(list)
    unlabelled = 0
    for trace in traces:
        label = label_of(trace)
        if label is None:
            unlabelled += 1
            continue
        counts[label] += 1
        if (rating := rating_of(trace)) is not None:
            ratings[label].append(rating)
    learned, why = _learned(counts, ratings)
    return Outcomes(
        tuple(_label(label, n, ratings[label], learned) for label, n in sorted(counts.items())), unlabelled, why
    )


def _label(label: str, n: int, ratings: Sequence[float], learned: Mapping[str, bool]) -> Label:
    success = SUCCESS_LABELS.get(label, learned.get(label))
    how: Literal["declared", "learned", "unknown"] = (
        "declared" if label in SUCCESS_LABELS else "learned" if label in learned else "unknown"
    )
    return Label(label, success, how, n, len(ratings), sum(ratings) / len(ratings) if ratings else None)


def _learned(counts: Mapping[str, int], ratings: Mapping[str, Sequence[float]]) -> tuple[dict[str, bool], str]:
    unknown = [label for label in sorted(counts) if label not in SUCCESS_LABELS]
    if not unknown:
        return {}, ""
    named = ", ".join(repr(label) for label in unknown[:3])
    good = [r for label, meaning in SUCCESS_LABELS.items() if meaning for r in ratings.get(label, ())]
    bad = [r for label, meaning in SUCCESS_LABELS.items() if not meaning for r in ratings.get(label, ())]
    if min(len(good), len(bad)) < _RATINGS:
        return {}, f"What {named} means was not learned: too few ratings of endings that are known to be good or bad."
    gap = _mean(good) - _mean(bad)
    if gap < max(_spread(good), _spread(bad)):
        return {}, f"What {named} means was not learned: ratings hardly tell good endings from bad ones."
    middle = (_mean(good) + _mean(bad)) / 2
    learned = {
        label: _mean(own) > middle
        for label in unknown
        if len(own := ratings.get(label, ())) >= _RATINGS
        and abs(_mean(own) - middle) > 1.96 * _spread(own) / len(own) ** 0.5 + gap / 10
    }
    left = [repr(label) for label in unknown if label not in learned]
    return learned, f"What {', '.join(left[:3])} means was not learned: its ratings do not say." if left else ""


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spread(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
