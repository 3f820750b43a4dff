"""Sets of terms with labels in, a weight for each term out: what conversations that went well have more of."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.reward.model import sigmoid
from agent_gym.types import Json

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Bag", "BagMaker", "Bags", "fit_bag"]

_GROUPS = 8  # a term of fewer customers tells of them, not of how things went
_TERMS = 20_000
_RIDGE = 2.0
_STEPS = 60

Vector = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bag:
    """A logistic over terms; a set counts as much as any other, however many terms it holds."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, terms: Set[str]) -> float:
        return self.chance([self.weights.get(term, 0.0) for term in terms])

    def chance(self, told: Sequence[float]) -> float:
        """The probability by the weights of a set's terms. Rounded once, at the end: a set gives them in any order."""
        return sigmoid(self.intercept + math.fsum(told) / max(1, len(told)) ** 0.5)

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


class Bags(NamedTuple):
    """Many sets of terms, with their terms numbered: several fits look at parts of the same sets."""

    terms: Sequence[str]  # in order
    places: Numbers  # in `terms`, of what each set holds, one set after another
    sizes: Numbers  # how many terms each set holds

    def among(self, chosen: NDArray[np.bool_]) -> Self:
        """Those of the chosen sets."""
        return self._replace(places=self.places[np.repeat(chosen, self.sizes)], sizes=self.sizes[chosen])

    def probabilities(self, bag: Bag) -> list[float | None]:
        """What the bag says of each set; None of an empty one."""
        weights = np.array([bag.weights.get(term, 0.0) for term in self.terms])
        told = np.split(weights[self.places], np.cumsum(self.sizes)[:-1])
        return [bag.chance(one.tolist()) if len(one) else None for one in told]


class BagMaker:
    """Sets of terms as they come; each term is kept once."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._places: list[int] = []
        self._sizes: list[int] = []

    def add(self, terms: Set[str]) -> None:
        number = self._number
        self._places += [number.setdefault(term, len(number)) for term in terms]
        self._sizes.append(len(terms))

    @property
    def bags(self) -> Bags:
        terms = sorted(self._number)
        place = np.empty(len(terms), np.int64)  # of a term, by the number it came with
        place[[self._number[term] for term in terms]] = np.arange(len(terms))
        return Bags(terms, place[np.array(self._places, np.int64)], np.array(self._sizes, np.int64))


def fit_bag(bags: Bags, labels: NDArray[np.bool_], groups: Numbers) -> Bag:
    from scipy.sparse import csr_array  # noqa: PLC0415  # 30 MB that only fitting needs, not who scores

    rows = np.repeat(np.arange(len(bags.sizes)), bags.sizes)
    place, common = _numbered(bags, rows, groups)
    columns = place[bags.places]
    known = columns >= 0
    scales = np.array([size**-0.5 if size else 0.0 for size in bags.sizes.tolist()])
    cells = (scales[rows[known]], (rows[known], columns[known]))
    solution = _solve(csr_array(cells, shape=(len(bags.sizes), len(common))), labels)
    weights = zip(common.tolist(), solution[1:].tolist(), strict=True)
    return Bag(float(solution[0]), {bags.terms[at]: round(weight, 6) for at, weight in weights})


def _numbered(bags: Bags, rows: Numbers, groups: Numbers) -> tuple[Numbers, Numbers]:
    """Term → its column, or -1 where too few customers have it; and column → its term, commonest first."""
    group = np.unique(groups, return_inverse=True)[1]
    held = np.unique(bags.places * len(groups) + group[rows]) // max(1, len(groups))  # once for each group
    holders = np.bincount(held, minlength=len(bags.terms))
    common = np.argsort(-holders, kind="stable")[: min(_TERMS, int((holders >= _GROUPS).sum()))]
    place = np.full(len(bags.terms), -1)
    place[common] = np.arange(len(common))
    return place, common


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
