"""Sets of terms with labels in, a weight for each term out: what conversations that went well have more of."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.reward.model import sigmoid
from agent_gym.types import Json

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Bag", "fit_bag"]

_GROUPS = 8  # a term of fewer customers tells of them, not of how things went
_TERMS = 20_000
_RIDGE = 2.0
_STEPS = 60

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bag:
    """A logistic over terms; a set counts as much as any other, however many terms it holds."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, terms: Set[str]) -> float:
        known = sum(self.weights.get(term, 0.0) for term in terms)
        return sigmoid(self.intercept + known / max(1, len(terms)) ** 0.5)

    def telling(self, terms: Set[str], good: bool) -> list[str]:
        """The terms that speak loudest for success, or against it."""
        sign = 1 if good else -1
        found = [(-sign * weight, term) for term in terms if sign * (weight := self.weights.get(term, 0.0)) > 0]
        return [term for _, term in sorted(found)[:3]]

    def to_dict(self) -> dict[str, Json]:
        return {"intercept": self.intercept, "weights": dict(self.weights)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        return cls(value["intercept"], dict(value["weights"]))


def fit_bag(bags: Sequence[Set[str]], labels: Sequence[bool], groups: Sequence[Hashable]) -> Bag:
    from scipy.sparse import csr_array  # noqa: PLC0415  # 30 MB that only fitting needs, not who scores

    holders: dict[str, set[Hashable]] = defaultdict(set)
    for bag, group in zip(bags, groups, strict=True):
        for term in bag:
            holders[term].add(group)
    common = [(-len(held), term) for term, held in holders.items() if len(held) >= _GROUPS]
    place = {term: at for at, (_, term) in enumerate(sorted(common)[:_TERMS])}
    cells = [(row, place[term], len(bag) ** -0.5) for row, bag in enumerate(bags) for term in bag if term in place]
    rows, columns, values = zip(*cells, strict=True) if cells else ((), (), ())
    matrix = csr_array((values, (rows, columns)), shape=(len(bags), len(place)))
    solution = _solve(matrix, np.array(labels, bool))
    return Bag(float(solution[0]), {term: round(float(solution[at + 1]), 6) for term, at in place.items()})


def _solve(matrix: "csr_array", truth: NDArray[np.bool_]) -> Vector:
    """Intercept and weights of the penalised logistic."""
    from scipy.optimize import minimize  # noqa: PLC0415  # as above

    signs = np.where(truth, 1.0, -1.0)

    def cost(guess: Vector) -> tuple[float, Vector]:
        margin = signs * (matrix @ guess[1:] + guess[0])
        # How hard each row still pulls: 1 on the wrong side, 0 where it is settled.
        pull = signs / (1 + np.exp(np.minimum(margin, 500)))
        slope = np.concatenate([[-pull.sum()], _RIDGE * guess[1:] - matrix.T @ pull])
        return float(np.logaddexp(0, -margin).sum() + _RIDGE / 2 * guess[1:] @ guess[1:]), slope

    start = np.zeros(matrix.shape[1] + 1)
    found: Vector = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x
    return found
