"""Labelled rows in, the fitted model out: parts enter one by one, each only if it helps on groups held out.

Everything is decided on conversations of other groups than those it was fitted to: which parts enter, and how
log-odds become a probability (Platt's line below 500 labels, a rising curve from there).
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agent_gym.reward.folds import folds_of
from agent_gym.reward.model import Curve, RewardModel, Row, classes

__all__ = ["LEAST_LABELS", "enough_labels", "fit_model"]

LEAST_LABELS = 30  # of each class; below, the published defaults decide
_ISOTONIC_FROM = 500
_GAIN = 0.002  # nats a held-out conversation: what a part has to save to enter
_RIDGE = 1.0
_STEPS, _HALVINGS = 50, 20

Matrix = NDArray[np.float64]
Truth = NDArray[np.bool_] | NDArray[np.float64]
Places = NDArray[np.int_]


def enough_labels(rows: Sequence[Row]) -> bool:
    return min(classes(rows)) >= LEAST_LABELS and len({row.group for row in rows}) > 1


def fit_model(rows: Sequence[Row]) -> RewardModel | None:
    """None where there are too few labels of a class, or where all are of one group."""
    if not enough_labels(rows):
        return None
    names = ["goal", *sorted({name for row in rows for name in row.raw} - {"goal"})]
    neutral = {name: _mean([found for row in rows if (found := row.raw.get(name)) is not None]) for name in names}
    centred = np.array([[_centred(row, name, neutral[name]) for name in names] for row in rows], float)
    truth = np.array([row.success for row in rows], bool)
    folds = np.array(folds_of([row.group for row in rows], truth.tolist()))
    cases = np.unique([f"{row.group} {row.case}" for row in rows], return_inverse=True)[1]
    chosen = _selected(centred, truth, folds, cases)
    solution = solve(centred[:, chosen], truth)
    slope, offset, curve = _calibration(_met_anew(centred, truth, folds, cases), truth)
    successes, failures = classes(rows)
    return RewardModel(
        intercept=float(slope * solution[0] + offset),
        weights={names[at]: float(slope * weight) for at, weight in zip(chosen, solution[1:], strict=True)},
        neutral={names[at]: neutral[names[at]] for at in chosen},
        calibration=curve,
        curves=_curves(rows, names),
        successes=successes,
        failures=failures,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _centred(row: Row, name: str, neutral: float) -> float:
    found = row.raw.get(name)
    return 0.0 if found is None else found - neutral


def _met_anew(centred: Matrix, truth: Truth, folds: Places, cases: Places) -> Matrix:
    """The log-odds of every conversation by a fit that has not seen its fold, not even to choose its parts.

    Parts that were chosen because they foretell these very conversations would seem surer than they are of others.
    """
    odds = np.zeros(len(truth))
    for fold in np.unique(folds):
        rows = folds == fold
        chosen = _selected(centred[~rows], truth[~rows], folds[~rows], cases[~rows])
        solution = solve(centred[np.ix_(~rows, chosen)], truth[~rows])
        odds[rows] = centred[np.ix_(rows, chosen)] @ solution[1:] + solution[0]
    return odds


def _selected(centred: Matrix, truth: Truth, folds: Places, cases: Places) -> list[int]:
    """The parts that enter: the first where it tells anything, for whether the goal was reached is the yardstick; then
    what helps beside it, best first.
    """
    chosen = [0] if centred[:, 0].any() else []
    odds = _held_out(centred[:, chosen], truth, folds)
    while True:
        options = []
        for at in range(centred.shape[1]):
            if at not in chosen and centred[:, at].any():
                found = _held_out(centred[:, [*chosen, at]], truth, folds)
                saved = _losses(odds, truth) - _losses(found, truth)
                if _helps(saved, cases):
                    options.append((-saved.sum(), at, found))
        if not options:
            return chosen
        _, at, odds = min(options, key=lambda option: option[:2])
        chosen.append(at)


def _helps(saved: Matrix, cases: Places) -> bool:
    """Whether the held-out cases agree that something is saved: the sum is above twice its standard error."""
    by_case = np.bincount(cases, saved)
    return bool(saved.mean() > _GAIN and by_case.sum() > 2 * np.sqrt((by_case**2).sum()))


def _held_out(matrix: Matrix, truth: Truth, folds: Places) -> Matrix:
    odds = np.zeros(len(truth))
    for fold in np.unique(folds):
        rows = folds == fold
        solution = solve(matrix[~rows], truth[~rows])
        odds[rows] = matrix[rows] @ solution[1:] + solution[0]
    return odds


def _losses(odds: Matrix, truth: Truth) -> Matrix:
    found: Matrix = np.logaddexp(0, odds) - truth * odds
    return found


def solve(matrix: Matrix, truth: Truth, ridge: float = _RIDGE) -> Matrix:
    """Intercept and weights, none below 0, of the penalised logistic, by Newton's steps cut off at the bound.

    With a handful of parts this takes a millisecond, a general optimiser a hundred; selection asks for hundreds.
    """
    columns = np.column_stack([np.ones(len(matrix)), matrix])
    penalty = np.array([1e-6, *[ridge] * matrix.shape[1]])
    least = np.array([-np.inf, *[0.0] * matrix.shape[1]])
    guess = np.zeros(len(least))
    for _ in range(_STEPS):
        stated = 1 / (1 + np.exp(-np.clip(columns @ guess, -30, 30)))
        slope = columns.T @ (stated - truth) + penalty * guess
        free = (guess > least) | (slope < 0)  # a weight at its bound that would fall stays there
        bend = (columns[:, free].T * (stated * (1 - stated))) @ columns[:, free] + np.diag(penalty[free])
        step = np.zeros(len(guess))
        step[free] = np.linalg.solve(bend, slope[free])
        better = _downhill(columns, truth, penalty, least, guess, step)
        if np.abs(better - guess).max() < 1e-8:
            break
        guess = better
    return guess


def _downhill(columns: Matrix, truth: Truth, penalty: Matrix, least: Matrix, guess: Matrix, step: Matrix) -> Matrix:
    """The guess after the step, halved until it is no worse."""

    def cost(at: Matrix) -> float:
        return float(_losses(columns @ at, truth).sum() + at @ (penalty * at) / 2)

    here = cost(guess)
    for _ in range(_HALVINGS):
        there = np.maximum(guess - step, least)
        if cost(there) <= here:
            return there
        step = step / 2
    return guess


def _calibration(odds: Matrix, truth: Truth) -> tuple[float, float, Curve | None]:
    """A slope and an offset for the log-odds, or a curve to read the probability off."""
    if len(truth) >= _ISOTONIC_FROM:
        return 1.0, 0.0, rising(odds.tolist(), truth.tolist())
    # Platt's targets, a little inside 0 and 1: where the odds part the classes, the slope would have no end.
    successes = truth.sum()
    targets = np.where(truth, (successes + 1) / (successes + 2), 1 / (len(truth) - successes + 2))
    offset, slope = solve(odds[:, None], targets, ridge=1e-6)
    return float(slope), float(offset), None


def rising(xs: Sequence[float], labels: Sequence[bool]) -> Curve:
    """The rising curve nearest to the points, drawn through the middle of its steps; never quite 0 or 1."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  # 30 MB that only fitting needs, not who scores

    places, inverse, counts = np.unique(np.asarray(xs, float), return_inverse=True, return_counts=True)
    means = np.bincount(inverse, np.asarray(labels, float)) / counts
    steps = isotonic_regression(means, weights=counts.astype(float)).blocks
    points = []
    for start, end in pairwise(steps):
        part, n = slice(start, end), counts[start:end].sum()
        share = (np.dot(means[part], counts[part]) + 0.5) / (n + 1)
        points.append((float(np.average(places[part], weights=counts[part])), float(share)))
    # A small step that the half added lifts above its neighbour is held down to it.
    ys = np.minimum.accumulate([y for _, y in reversed(points)])[::-1]
    return Curve(tuple(x for x, _ in points), tuple(float(y) for y in ys))


def _curves(rows: Sequence[Row], names: Sequence[str]) -> dict[str, Curve]:
    known = {name: [(found, r.success) for r in rows if (found := r.raw.get(name)) is not None] for name in names}
    return {name: rising(*zip(*points, strict=True)) for name, points in known.items() if points}
