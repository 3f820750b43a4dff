"""What the weights of a policy stand for: names in, places in one vector out, and back.

First come the features of a candidate. Then, for every mark of a state and every purpose, a lesson: how much better it
is than the record says to do this where that mark stands. A clone has learned none of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.agent import EmbeddedAgent
from agent_gym.agent.embedded.choose import WEIGHTS, lesson, share

__all__ = ["Form", "Vector"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """The order of all weights."""

    features: tuple[str, ...]
    marks: Mapping[str, int]
    purposes: Mapping[str, int]

    @classmethod
    def of(cls, agent: EmbeddedAgent) -> Self:
        moves = agent.record.moves
        marks = {mark: place for place, mark in enumerate(sorted(moves.marks))}
        return cls(tuple(WEIGHTS), marks, {purpose: place for place, purpose in enumerate(moves.purposes)})

    @cached_property
    def columns(self) -> Mapping[str, int]:
        return {name: column for column, name in enumerate(self.features)}

    def lessons(self, weights: Vector) -> Vector:
        """One row a mark, one column a purpose; a view of the same numbers."""
        return weights[len(self.features) :].reshape(len(self.marks), len(self.purposes))

    def points(
        self, weights: Vector, features: NDArray[np.float32], marks: NDArray[np.int64], purposes: NDArray[np.int64]
    ) -> Vector:
        """What each candidate of a state is worth. A purpose that the record does not know is -1."""
        taught = np.append(self.lessons(weights)[marks].sum(axis=0), 0.0)[purposes]
        return np.asarray(features @ weights[: len(self.features)] + share(len(marks)) * taught)

    def vector(self, named: Mapping[str, float]) -> Vector:
        lessons = [named.get(name, 0.0) for name in self._lesson_names]
        return np.array([*(named.get(name, 0.0) for name in self.features), *lessons])

    def named(self, weights: Vector) -> dict[str, float]:
        """All features, and the lessons learned."""
        first = len(self.features)
        taught = first + np.flatnonzero(weights[first:])
        told = dict(zip(self.features, weights[:first].tolist(), strict=True))
        return told | {self._lesson_names[place - first]: float(weights[place]) for place in taught.tolist()}

    @cached_property
    def _lesson_names(self) -> tuple[str, ...]:
        return tuple(lesson(purpose, mark) for mark in self.marks for purpose in self.purposes)
