"""What comes next, from marks that are there or not: recorded rows in, a chance for every label out.

One linear regression a label, solved at once for all. The conversations are dealt into parts, and each part can be left
out: a recorded conversation is then met as an unknown one.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Foresight", "Row"]

_PARTS = 3
_MARKS = 900  # the commonest: rarer ones teach little and cost time
_ROWS = 3000
_PENALTY = 8.0
_KEPT = 512

Matrix = NDArray[np.float32]


class Row(NamedTuple):
    """One recorded moment: the marks of it, and the labels of what followed."""

    conversation_id: str
    marks: tuple[str, ...]
    labels: tuple[str, ...]


class Foresight:
    """Learned when first asked."""

    def __init__(self, rows: Sequence[Row]) -> None:
        rows = rows[:: max(1, -(-len(rows) // _ROWS))]
        counts = Counter(mark for row in rows for mark in set(row.marks))
        common = sorted((mark for mark, n in counts.items() if n >= 3), key=lambda mark: (-counts[mark], mark))
        self._columns = {mark: column for column, mark in enumerate(common[:_MARKS])}
        self._rows = rows
        self.labels = tuple(sorted({label for row in rows for label in row.labels}))
        names = list(dict.fromkeys(row.conversation_id for row in rows))
        self._part = {name: place % _PARTS for place, name in enumerate(names)}
        self._weights = lru_cache(maxsize=_PARTS + 1)(self._learned)
        self._recall = lru_cache(maxsize=_KEPT)(self._foretold)

    def chances(self, marks: Sequence[str], hidden: Collection[str] = ()) -> Mapping[str, float]:
        """Label → how likely it is; `hidden` conversations have not been learned from."""
        parts = [self._part[name] for name in hidden if name in self._part]
        return self._recall(tuple(marks), min(parts, default=-1))

    def _foretold(self, marks: Sequence[str], without: int) -> Mapping[str, float]:
        if not self.labels:
            return {}
        points = self._weights(without)[[*self._places(marks), -1]].sum(axis=0)
        return dict(zip(self.labels, np.clip(points.astype(float), 0.0, 1.0).tolist(), strict=True))

    def _places(self, marks: Sequence[str]) -> list[int]:
        return [self._columns[mark] for mark in dict.fromkeys(marks) if mark in self._columns]

    @cached_property
    def _table(self) -> tuple[Matrix, Matrix]:
        marked = np.zeros((len(self._rows), len(self._columns) + 1), np.float32)
        marked[:, -1] = 1.0
        followed = np.zeros((len(self._rows), len(self.labels)), np.float32)
        places = {label: place for place, label in enumerate(self.labels)}
        for n, row in enumerate(self._rows):
            marked[n, self._places(row.marks)] = 1.0
            followed[n, [places[label] for label in row.labels]] = 1.0
        return marked, followed

    def _learned(self, without: int) -> Matrix:
        """One row a mark, the last for none of them; one column a label. `without` is the part left out."""
        marked, followed = self._table
        kept = np.array([self._part[row.conversation_id] != without for row in self._rows], bool)
        marked, followed = marked[kept], followed[kept]
        weigh = np.full(marked.shape[1], _PENALTY)
        weigh[-1] = 1e-3  # how common a label is may be learned freely
        squares = (marked.T @ marked).astype(np.float64) + np.diag(weigh)
        return np.asarray(np.linalg.solve(squares, (marked.T @ followed).astype(np.float64)), np.float32)
