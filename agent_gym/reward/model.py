"""Raw part scores in, the probability of success out: never falling when a part rises.

A logistic with weights of 0 or more over the parts that help, calibrated on conversations it was not fitted to.
A part that does not apply counts as its mean does: it neither raises nor lowers.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from agent_gym.types import Json

__all__ = ["Curve", "RewardModel", "Row", "sigmoid"]

Raws = Mapping[str, float | None]


class Row(NamedTuple):
    """A labelled conversation as the fit sees it. Rows of one group are never on both sides of a measure.

    A group may hold many cases, as a customer has; without a case of its own, a row is of its group's.
    """

    raw: Raws
    success: bool
    group: int
    case: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """A rising line through points, flat beyond the first and the last."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    def at(self, x: float) -> float:
        after = bisect_right(self.xs, x)
        if after == 0 or after == len(self.xs):
            return self.ys[max(0, after - 1)]
        left, right = self.xs[after - 1], self.xs[after]
        share = (x - left) / (right - left)
        return self.ys[after - 1] + share * (self.ys[after] - self.ys[after - 1])

    def to_dict(self) -> dict[str, Json]:
        return {"xs": list(self.xs), "ys": list(self.ys)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        return cls(tuple(value["xs"]), tuple(value["ys"]))


@dataclass(frozen=True, slots=True)
class RewardModel:
    """`weights` holds the parts that entered; `curves` tells, part by part, how often such a score came with success.

    `calibration` maps log-odds to probability; without it the log-odds are already scaled.
    """

    intercept: float
    weights: Mapping[str, float]
    neutral: Mapping[str, float]
    calibration: Curve | None = None
    curves: Mapping[str, Curve] = field(default_factory=dict)
    successes: int = 0
    failures: int = 0

    def log_odds(self, raw: Raws) -> float:
        known = ((weight, raw.get(name), self.neutral[name]) for name, weight in self.weights.items())
        return self.intercept + sum(weight * (found - mean) for weight, found, mean in known if found is not None)

    def probability(self, raw: Raws) -> float:
        odds = self.log_odds(raw)
        return sigmoid(odds) if self.calibration is None else self.calibration.at(odds)

    def calibrated(self, name: str, raw: float | None) -> float | None:
        """How often conversations with such a score in this part succeeded."""
        curve = self.curves.get(name)
        return None if curve is None or raw is None else curve.at(raw)

    def to_dict(self) -> dict[str, Json]:
        return {
            "intercept": self.intercept,
            "weights": dict(self.weights),
            "neutral": dict(self.neutral),
            "calibration": self.calibration.to_dict() if self.calibration else None,
            "curves": {name: curve.to_dict() for name, curve in self.curves.items()},
            "successes": self.successes,
            "failures": self.failures,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        return cls(
            intercept=value["intercept"],
            weights=dict(value["weights"]),
            neutral=dict(value["neutral"]),
            calibration=Curve.from_dict(value["calibration"]) if value["calibration"] else None,
            curves={name: Curve.from_dict(curve) for name, curve in value["curves"].items()},
            successes=value["successes"],
            failures=value["failures"],
        )


def sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds >= 0 else math.exp(odds) / (1 + math.exp(odds))


def classes(rows: Sequence[Row]) -> tuple[int, int]:
    """How many rows succeeded, and how many failed."""
    successes = sum(row.success for row in rows)
    return successes, len(rows) - successes
