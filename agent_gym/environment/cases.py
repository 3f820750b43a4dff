"""Dice in, an episode out: how the Gymnasium environments choose what is played next."""

from collections.abc import Callable, Mapping
from itertools import accumulate

import numpy as np

from agent_gym.corpus import Split
from agent_gym.environment.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.options import check_names
from agent_gym.environment.scenario import Scenario
from agent_gym.errors import AgentGymError, OptionError
from agent_gym.types import Json

__all__ = ["Cases", "Weight"]

Weight = Callable[[Scenario], float]  # how often a case is played beside the others; 0: never


class Cases:
    """The scorable conversations of a split, and the options their episodes are played with."""

    def __init__(
        self, environment: Environment, split: Split, options: Mapping[str, Json], weight: Weight | None = None
    ) -> None:
        check_names(options)
        self._environment = environment
        self._options = dict(options)
        scorable = environment.playable(split, scorable=True)
        weighed = [(name, 1.0 if weight is None else _weighed(environment.scenario(name), weight)) for name in scorable]
        self._ids = [conversation_id for conversation_id, share in weighed if share > 0]
        if not self._ids:
            raise AgentGymError(f"the {split} split holds no scorable conversation, or every one weighs 0")
        self._upto = list(accumulate(share for _, share in weighed if share > 0)) if weight is not None else None

    def draw(self, dice: np.random.Generator, chosen: Mapping[str, Json] | None = None) -> Episode:
        """The episode the dice fall on; `chosen` may name its `conversation_id`."""
        for name in chosen or ():
            if name != "conversation_id":
                raise OptionError("option", name, ("conversation_id",))
        conversation_id = (chosen or {}).get("conversation_id") or self._ids[self._place(dice)]
        return self._environment.episode(conversation_id, seed=int(dice.integers(2**31)), **self._options)

    def _place(self, dice: np.random.Generator) -> int:
        if self._upto is None:
            return int(dice.integers(len(self._ids)))
        return int(np.searchsorted(self._upto, dice.random() * self._upto[-1], side="right"))


def _weighed(scenario: Scenario, weight: Weight) -> float:
    share = float(weight(scenario))
    if not 0.0 <= share < float("inf"):
        raise OptionError("weight", share, ("0 or more",), why=f"is no weight (of {scenario.conversation_id!r})")
    return share
