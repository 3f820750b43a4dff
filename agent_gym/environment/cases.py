"""Dice in, an episode out: how the Gymnasium environments choose what is played next."""

from collections.abc import Mapping

import numpy as np

from agent_gym.corpus import Split
from agent_gym.environment.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.errors import AgentGymError
from agent_gym.types import Json

__all__ = ["Cases"]


class Cases:
    """The scorable conversations of a split, and the options their episodes are played with."""

    def __init__(self, environment: Environment, split: Split, options: Mapping[str, Json]) -> None:
        self._environment = environment
        self._options = dict(options)
        self._ids = [s.conversation_id for s in environment.scenarios(split) if s.scorable]
        if not self._ids:
            raise AgentGymError(f"the {split} split holds no scorable conversation")

    def draw(self, dice: np.random.Generator, chosen: Mapping[str, Json] | None = None) -> Episode:
        """The episode the dice fall on; `chosen` may name its `conversation_id`."""
        conversation_id = (chosen or {}).get("conversation_id") or self._ids[int(dice.integers(len(self._ids)))]
        return self._environment.episode(conversation_id, seed=int(dice.integers(2**31)), **self._options)
