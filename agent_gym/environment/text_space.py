"""A Gymnasium space of every text, for observations and actions that people and models write."""

from typing import Any

import gymnasium
import numpy as np

__all__ = ["AnyText"]

_SAMPLE_WORDS = "hello yes no please your order account number thanks check done sorry moment help email".split()


class AnyText(gymnasium.Space[str]):
    """Every string. Gymnasium's own Text space refuses characters outside its charset: real talk has those."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__((), np.str_, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: None = None, probability: None = None) -> str:
        del mask, probability
        return " ".join(self.np_random.choice(_SAMPLE_WORDS, size=int(self.np_random.integers(1, 6))))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnyText)

    def __hash__(self) -> int:
        return hash(AnyText)
