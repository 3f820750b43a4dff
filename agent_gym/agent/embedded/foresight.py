"""What comes next, from marks that are there or not: recorded rows in, a chance for every label out.

Logistic regression: of labels that exclude each other one softmax, of others one curve each. The conversations are
dealt into parts, and each part can be left out: a recorded conversation is then met as an unknown one.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["Foresight", "Matrix", "Row", "sampled"]

_PARTS = 5  # the more, the nearer a part left out is to all the record, and the longer it takes to learn
_MARKS = 4000  # the commonest: rarer ones teach little and cost time
_ROWS = 3000
_PENALTY = 1.5
_STEPS = 30
_KEPT = 512
_TINY = 1e-12
_LENGTH = 4.0  # of a row of words: the longer, the more may be learned of each

Matrix = NDArray[np.float64]
T = TypeVar("T")


class Row(NamedTuple):
    """One recorded moment: the marks of it, and the labels of what followed."""

    conversation_id: str
    marks: tuple[str, ...]
    labels: tuple[str, ...]


class Foresight:
    """Learned when first asked. `several`: many labels may be true at once, or none. `words`: the marks are words; a
    rare one says more than a common one, and many of them no more than few."""

    def __init__(self, rows: Sequence[Row], *, several: bool = False, words: bool = False) -> None:
        rows = [row for row in sampled(rows) if several or row.labels]
        self._link = _curve if several else _softmax
        self._several = several
        counts = Counter(mark for row in rows for mark in set(row.marks))
        common = sorted((mark for mark, n in counts.items() if n >= 2), key=lambda mark: (-counts[mark], mark))
        self._columns = {mark: column for column, mark in enumerate(common[:_MARKS])}
        self._worth = {mark: math.log(1 + len(rows) / counts[mark]) if words else 1.0 for mark in self._columns}
        self._words = words
        self._rows = rows
        self.labels = tuple(sorted({label for row in rows for label in row.labels}))
        names = list(dict.fromkeys(row.conversation_id for row in rows))
        self._part = {name: place % _PARTS for place, name in enumerate(names)}
        self._weights = lru_cache(maxsize=_PARTS + 1)(self._learned)
        self._recall = lru_cache(maxsize=_KEPT)(self._foretold)

    def chances(self, marks: Sequence[str], hidden: Collection[str] = ()) -> Mapping[str, float]:
        """Label → how likely it is; `hidden` conversations have not been learned from."""
        return self._recall(tuple(marks), self.part(hidden))

    def part(self, hidden: Collection[str]) -> int:
        """The part that these conversations are in; -1 if none of them was learned from."""
        return min((self._part[name] for name in hidden if name in self._part), default=-1)

    def left_out(self, marks: Sequence[str], part: int) -> Mapping[str, float]:
        """The chances by all that was learned from the other parts."""
        return self._recall(tuple(marks), part)

    def _foretold(self, marks: Sequence[str], without: int) -> Mapping[str, float]:
        if not self.labels:
            return {}
        places, shares = self._places(marks)
        weights = self._weights(without)
        chances = self._link((shares @ weights[places] + weights[-1])[None])[0]
        return dict(zip(self.labels, chances.tolist(), strict=True))

    @property
    def marks(self) -> Sequence[str]:
        """The marks it has learned of."""
        return list(self._columns)

    def known(self, marks: Sequence[str]) -> tuple[str, ...]:
        """Those of the marks it has learned of."""
        return tuple(mark for mark in dict.fromkeys(marks) if mark in self._columns)

    def _places(self, marks: Sequence[str]) -> tuple[list[int], Matrix]:
        """The columns of the marks, and how much each counts."""
        known = self.known(marks)
        worth = np.array([self._worth[mark] for mark in known])
        if self._words and known:
            worth *= _LENGTH / np.linalg.norm(worth)
        return [self._columns[mark] for mark in known], worth

    @cached_property
    def _table(self) -> "tuple[csr_matrix, Matrix]":
        """The marks of each row, the last for none of them; and the share of each label."""
        from scipy.sparse import csr_matrix  # noqa: PLC0415  # 30 MB that only who acts needs

        found = [self._places(row.marks) for row in self._rows]
        ends = np.cumsum([0, *(len(places) + 1 for places, _ in found)])
        columns = np.array([place for places, _ in found for place in (*places, len(self._columns))])
        shares = np.concatenate([np.append(worth, 1.0) for _, worth in found])
        marked = csr_matrix((shares, columns, ends), shape=(len(found), len(self._columns) + 1))
        numbers = {label: number for number, label in enumerate(self.labels)}
        followed = np.zeros((len(self._rows), len(self.labels)))
        for n, row in enumerate(self._rows):
            followed[n, [numbers[label] for label in row.labels]] = 1.0 if self._several else 1.0 / len(row.labels)
        return marked, followed

    def _learned(self, without: int) -> Matrix:
        """One row a mark, the last for none of them; one column a label. `without` is the part left out."""
        from scipy.optimize import minimize  # noqa: PLC0415  # as above

        marked, followed = self._table
        kept = np.array([self._part[row.conversation_id] != without for row in self._rows], bool)
        marked, followed = marked[kept], followed[kept]
        turned = marked.T.tocsr()
        shape = (marked.shape[1], len(self.labels))
        weigh = np.full((shape[0], 1), _PENALTY)
        weigh[-1] = 1e-3  # how common a label is may be learned freely

        def loss(flat: Matrix) -> tuple[float, Matrix]:
            weights = flat.reshape(shape)
            chances = self._link(marked @ weights)
            right = (followed * np.log(chances + _TINY)).sum()
            if self._several:
                right += ((1 - followed) * np.log(1 - chances + _TINY)).sum()
            value = float((weigh * weights**2).sum() / 2 - right)
            return value, np.asarray(turned @ (chances - followed) + weigh * weights).ravel()

        found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
        return np.asarray(found.x).reshape(shape)


def sampled(rows: Sequence[T], most: int = _ROWS) -> Sequence[T]:
    """As many as are learned from, evenly drawn: who makes rows at a cost makes only these."""
    return rows[:: max(1, -(-len(rows) // most))]


def _curve(points: Matrix) -> Matrix:
    return np.asarray(1 / (1 + np.exp(-np.clip(points, -40, 40))))


def _softmax(points: Matrix) -> Matrix:
    likely = np.exp(points - points.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))
