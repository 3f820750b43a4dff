"""An Environment in, a Gymnasium environment out: text actions, text observations, any Unicode."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import register

from agent_gym.corpus import Split
from agent_gym.environment.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.load import open_environment
from agent_gym.errors import AgentGymError
from agent_gym.types import Json

__all__ = ["AnyText", "TraceEnv", "from_path"]

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


class TraceEnv(gymnasium.Env[str, str]):
    """Episodes of an Environment. `reset(options={"conversation_id": …})` chooses the case, else the seed does."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  Gymnasium's own declaration

    def __init__(
        self, environment: Environment, split: Split = "train", render_mode: str | None = None, **options: Json
    ) -> None:
        self.environment = environment
        self.split = split
        self.render_mode = render_mode
        self.observation_space = AnyText()
        self.action_space = AnyText()
        self._options = options
        self._ids = [s.conversation_id for s in environment.scenarios(split) if s.scorable]
        if not self._ids:
            raise AgentGymError(f"the {split} split holds no scorable conversation")
        self.episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Json] | None = None) -> tuple[str, dict[str, Json]]:
        super().reset(seed=seed)
        chosen = (options or {}).get("conversation_id") or self._ids[int(self.np_random.integers(len(self._ids)))]
        episode_seed = int(self.np_random.integers(2**31))
        self.episode = self.environment.episode(chosen, seed=episode_seed, **self._options)
        return self.episode.observation, self._plain(self.episode)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Json]]:
        if self.episode is None:
            raise AgentGymError("call reset() before step()")
        step = self.episode.step(action)
        return step.observation, step.reward, step.terminated, step.truncated, self._plain(self.episode)

    def render(self) -> str | None:
        if self.render_mode != "ansi" or self.episode is None:
            return None
        return "\n".join(f"{m.role}: {m.text or m.result or m.tool_calls}" for m in self.episode.messages)

    def _plain(self, episode: Episode) -> dict[str, Json]:
        return {
            "conversation_id": episode.scenario.conversation_id,
            "messages": [message.to_dict() | {"trainable": message.trainable} for message in episode.messages],
            "provenance": [answer.source for _, answer in episode.answers],
            "ending": episode.ending,
            "flags": list(episode.flags),
            "score": episode.score.to_dict() if episode.score is not None else None,
        }


def from_path(path: str, **options: Json) -> TraceEnv:
    """What `gymnasium.make("agent_gym.environment.gymnasium:AgentGym/Trace-v0", path=…)` opens."""
    return TraceEnv(open_environment(path, agent="embedded"), **options)


register(id="AgentGym/Trace-v0", entry_point="agent_gym.environment.gymnasium:from_path")
