"""Scores of several attempts at one case in, their order out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent_gym.types import Json, Message, Score

__all__ = ["Attempt", "Ranking", "ranked"]


class Attempt(Protocol):
    """What a rollout and a trace have in common."""

    @property
    def conversation_id(self) -> str: ...

    @property
    def messages(self) -> tuple[Message, ...]: ...


@dataclass(frozen=True, slots=True)
class Ranking:
    """`ranks` are in the order of the attempts: 1 is best, equals share the better rank."""

    scores: tuple[Score, ...]
    ranks: tuple[int, ...]

    @property
    def all_equal(self) -> bool:
        """Whether there is nothing to learn from comparing them."""
        return len(set(self.ranks)) <= 1

    def to_dict(self) -> dict[str, Json]:
        scores = [score.to_dict() for score in self.scores]
        return {"scores": scores, "ranks": list(self.ranks), "all_equal": self.all_equal}


def ranked(scores: Sequence[Score]) -> Ranking:
    return Ranking(tuple(scores), tuple(1 + sum(other > score for other in scores) for score in scores))
