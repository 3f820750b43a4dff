"""Numbers about numbers: intervals and rank measures, each from plain sequences."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Bin",
    "Rate",
    "auc",
    "bootstrap",
    "brier",
    "calibration_curve",
    "calibration_error",
    "grouped_rate",
    "rate",
    "spearman",
    "wasserstein",
]

Numbers = Sequence[float] | NDArray[np.float64]
Labels = Sequence[bool] | NDArray[np.bool_]


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


def grouped_rate(groups: Sequence[Sequence[bool]], *, draws: int = 1000, seed: int = 0) -> Rate:
    """The share of hits with a bootstrap interval that draws whole groups: what happens in one hangs together.

    It is never narrower than Wilson's: where all hits agree, drawing again cannot show what was not seen.
    """
    hits = np.array([sum(group) for group in groups if group], float)
    sizes = np.array([len(group) for group in groups if group], float)
    alone = rate(int(hits.sum()), int(sizes.sum()))
    if not alone.n:
        return alone
    picks = np.random.default_rng(seed).integers(0, len(hits), (draws, len(hits)))
    drawn = hits[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    low, high = (float(np.percentile(drawn, at)) for at in (2.5, 97.5))
    return alone._replace(low=min(alone.low, low), high=max(alone.high, high))


def bootstrap(
    groups: Sequence[Sequence[float]],
    statistic: Callable[[Sequence[float]], float] = lambda values: float(np.mean(values)),
    *,
    draws: int = 1000,
    seed: int = 0,
) -> tuple[float, float]:
    """A 95 % interval of the statistic, drawing whole groups: rows of one case are not independent.

    Draws on which the statistic is not defined (NaN) do not count; NaN where none is left.
    """
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(draws):
        picks = rng.integers(0, len(groups), len(groups))
        values = [value for pick in picks for value in groups[pick]]
        if values and not math.isnan(found := statistic(values)):
            drawn.append(found)
    if not drawn:
        return math.nan, math.nan
    return float(np.percentile(drawn, 2.5)), float(np.percentile(drawn, 97.5))


def auc(labels: Labels, scores: Numbers) -> float:
    """How often a true row scores above a false one, ties counting half. NaN where a class is missing."""
    truth = np.asarray(labels, bool)
    n_true = int(truth.sum())
    n_false = len(truth) - n_true
    if not n_true or not n_false:
        return math.nan
    ranks = _ranks(scores)
    return float((ranks[truth].sum() - n_true * (n_true + 1) / 2) / (n_true * n_false))


def spearman(left: Numbers, right: Numbers) -> float:
    """The correlation of ranks, ties sharing theirs. NaN where one side is constant."""
    if len(left) < 2:
        return math.nan
    a, b = _ranks(left), _ranks(right)
    if a.std() == 0 or b.std() == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def wasserstein(left: Numbers, right: Numbers) -> float:
    """How far, in their own unit, the one distribution has to be moved to become the other."""
    values = np.sort(np.concatenate([left, right]))
    shares = [np.searchsorted(np.sort(side), values[:-1], side="right") / len(side) for side in (left, right)]
    return float(np.sum(np.abs(shares[0] - shares[1]) * np.diff(values)))


def brier(labels: Labels, probabilities: Numbers) -> float:
    """The mean squared distance between what was foretold and what came."""
    if len(labels) == 0:
        return math.nan
    return float(np.mean((np.asarray(probabilities, float) - np.asarray(labels, float)) ** 2))


class Bin(NamedTuple):
    """Rows of like probability: their mean probability, how many came true, how many there are."""

    stated: float
    true: float
    n: int


def calibration_curve(labels: Labels, probabilities: Numbers, bins: int = 10) -> list[Bin]:
    """Bins of equal width; empty ones are left out."""
    stated, truth = np.asarray(probabilities, float), np.asarray(labels, float)
    places = np.minimum((stated * bins).astype(int), bins - 1)
    held = [places == place for place in range(bins)]
    return [Bin(float(stated[rows].mean()), float(truth[rows].mean()), int(rows.sum())) for rows in held if rows.any()]


def calibration_error(labels: Labels, probabilities: Numbers, bins: int = 10) -> float:
    """The mean distance, over rows, between what their bin states and what came true."""
    curve = calibration_curve(labels, probabilities, bins)
    rows = sum(row.n for row in curve)
    return sum(row.n * abs(row.stated - row.true) for row in curve) / rows if rows else math.nan


def _ranks(values: Numbers) -> NDArray[np.float64]:
    """From 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    shared: NDArray[np.float64] = (ends - (counts - 1) / 2)[inverse]
    return shared
