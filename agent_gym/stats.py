"""Numbers about numbers: intervals and rank measures, each from plain sequences."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Rate", "bootstrap", "rate"]


class Rate(NamedTuple):
    """A share with its 95 % interval and what it was counted over."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.1%} [{self.low:.1%}, {self.high:.1%}] n={self.n}"


def rate(hits: int, n: int, z: float = 1.96) -> Rate:
    """Wilson's interval: honest also near 0 and 1 and for small n. Nothing counted gives NaN."""
    if n == 0:
        return Rate(math.nan, math.nan, math.nan, 0)
    p = hits / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Rate(p, max(0.0, centre - half), min(1.0, centre + half), n)


def bootstrap(
    groups: Sequence[Sequence[float]],
    statistic: Callable[[Sequence[float]], float] = lambda values: float(np.mean(values)),
    *,
    draws: int = 1000,
    seed: int = 0,
) -> tuple[float, float]:
    """A 95 % interval of the statistic, drawing whole groups: rows of one case are not independent."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(draws):
        picks = rng.integers(0, len(groups), len(groups))
        values = [value for pick in picks for value in groups[pick]]
        if values:
            drawn.append(statistic(values))
    return float(np.percentile(drawn, 2.5)), float(np.percentile(drawn, 97.5))
