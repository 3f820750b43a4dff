"""An Environment in, many of its episodes stepped together out, as Gymnasium's vector environments are.

Gymnasium's own asynchronous vector environment loses text observations without a word; this one runs in one
process, hands texts through as they are, and tells messages without copying them at every step.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Tuple
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from agent_gym.corpus import Split
from agent_gym.environment.cases import Cases, Weight
from agent_gym.environment.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.opening import open_environment
from agent_gym.environment.text_space import AnyText
from agent_gym.errors import AgentGymError
from agent_gym.types import Json

__all__ = ["TraceVectorEnv", "vector_from_path"]

Texts = tuple[str, ...]
Batch = tuple[Texts, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class TraceVectorEnv(VectorEnv[Texts, Sequence[str], NDArray[Any]]):
    """`num_envs` episodes side by side. One that ended begins anew at the next step, whatever its action says."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  Gymnasium's own declaration

    def __init__(
        self,
        environment: Environment,
        num_envs: int = 1,
        split: Split = "train",
        weight: Weight | None = None,
        **options: Json,
    ) -> None:
        self.num_envs = num_envs
        self.single_observation_space = AnyText()
        self.single_action_space = AnyText()
        self.observation_space = Tuple([AnyText() for _ in range(num_envs)])
        self.action_space = Tuple([AnyText() for _ in range(num_envs)])
        self.spec = None
        self.render_mode = None
        self._cases = Cases(environment, split, options, weight)
        self._dice: list[np.random.Generator] = [np.random.default_rng() for _ in range(num_envs)]
        self._episodes: list[Episode] = []

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Texts, dict[str, Any]]:
        seeds = [seed + at for at in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        if len(seeds) != self.num_envs:
            raise AgentGymError(f"{self.num_envs} environments need as many seeds, found {len(seeds)}")
        for at, one in enumerate(seeds):
            if one is not None:
                self._dice[at] = np.random.default_rng(one)
        self._episodes = [self._cases.draw(dice, options) for dice in self._dice]
        return self._texts(), self._told()

    def step(self, actions: Sequence[str]) -> Batch:
        if not self._episodes:
            raise AgentGymError("call reset() before step()")
        if isinstance(actions, str) or len(actions) != self.num_envs:
            raise AgentGymError(f"step() takes {self.num_envs} actions, one for each episode")
        rewards, terminated, truncated = np.zeros(self.num_envs), *np.zeros((2, self.num_envs), dtype=np.bool_)
        for at, (episode, action) in enumerate(zip(self._episodes, actions, strict=True)):
            if episode.over:
                self._episodes[at] = self._cases.draw(self._dice[at])
            else:
                _, rewards[at], terminated[at], truncated[at], _ = episode.step(action)
        return self._texts(), rewards, terminated, truncated, self._told()

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """The live episodes, for whoever needs more than the texts."""
        return tuple(self._episodes)

    def _texts(self) -> Texts:
        return tuple(episode.observation for episode in self._episodes)

    def _told(self) -> dict[str, Any]:
        """Gymnasium's form: an array a key, and a mask that says which episodes it holds for."""
        told: dict[str, Any] = {}
        for key in ("conversation_id", "messages", "ending", "flags", "score"):
            column = np.empty(self.num_envs, dtype=object)
            for at, episode in enumerate(self._episodes):
                column[at] = episode.scenario.conversation_id if key == "conversation_id" else getattr(episode, key)
            told[key], told[f"_{key}"] = column, np.array([value is not None for value in column])
        return told


def vector_from_path(path: str, num_envs: int = 1, **options: Json) -> TraceVectorEnv:
    """What `gymnasium.make_vec("agent_gym.environment.gymnasium:AgentGym/Trace-v0", path=…)` opens."""
    return TraceVectorEnv(open_environment(path, agent="embedded"), num_envs, **options)
