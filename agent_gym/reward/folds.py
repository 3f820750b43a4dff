"""Labelled rows in groups in, folds out: rows of one group on one side, both classes in every fold."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

__all__ = ["folds_of"]

FOLDS = 5


def folds_of(groups: Sequence[Hashable], labels: Sequence[bool], folds: int = FOLDS) -> list[int]:
    """The fold of every row. Large groups go first, each to where its classes are scarcest; nothing is drawn."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for row, group in enumerate(groups):
        members[group].append(row)
    sizes = (max(1, len(labels) - sum(labels)), max(1, sum(labels)))
    held = [[0.0, 0.0] for _ in range(min(folds, len(members)))]
    chosen = [0] * len(groups)
    for rows in sorted(members.values(), key=lambda rows: (-len(rows), rows[0])):
        share = [
            sum(labels[row] is kind for row in rows) / size for kind, size in zip((False, True), sizes, strict=True)
        ]
        # Adding to the emptiest fold keeps the sum of squares smallest.
        fold = min(range(len(held)), key=lambda f: sum(2 * held[f][k] * share[k] for k in (0, 1)))
        held[fold] = [held[fold][k] + share[k] for k in (0, 1)]
        for row in rows:
            chosen[row] = fold
    return chosen
