"""An Environment in, a Gymnasium environment out: text actions, text observations, any Unicode."""

import gymnasium
from gymnasium.envs.registration import register

from agent_gym.corpus import Split
from agent_gym.environment.cases import Cases, Weight
from agent_gym.environment.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.opening import open_environment
from agent_gym.environment.text_space import AnyText
from agent_gym.errors import AgentGymError
from agent_gym.types import Json

__all__ = ["AnyText", "TraceEnv", "from_path"]


class TraceEnv(gymnasium.Env[str, str]):
    """Episodes of an Environment. `reset(options={"conversation_id": …})` chooses the case, else the seed does.

    `weight` says of a scenario how often it is drawn beside the others; `options` are those of an episode.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  Gymnasium's own declaration

    def __init__(
        self,
        environment: Environment,
        split: Split = "train",
        render_mode: str | None = None,
        weight: Weight | None = None,
        **options: Json,
    ) -> None:
        self.environment = environment
        self.split = split
        self.render_mode = render_mode
        self.observation_space = AnyText()
        self.action_space = AnyText()
        self._cases = Cases(environment, split, options, weight)
        self.episode: Episode | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Json] | None = None) -> tuple[str, dict[str, Json]]:
        super().reset(seed=seed)
        self.episode = self._cases.draw(self.np_random, options)
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
            "tools": list(episode.tools),
            "provenance": [answer.source for _, answer in episode.answers],
            "patience": episode.patience,
            "ending": episode.ending,
            "flags": list(episode.flags),
            "score": episode.score.to_dict() if episode.score is not None else None,
        }


def from_path(path: str, **options: Json) -> TraceEnv:
    """What `gymnasium.make("agent_gym.environment.gymnasium:AgentGym/Trace-v0", path=…)` opens."""
    return TraceEnv(open_environment(path, agent="embedded"), **options)


register(
    id="AgentGym/Trace-v0",
    entry_point="agent_gym.environment.gymnasium:from_path",
    vector_entry_point="agent_gym.environment.vector:vector_from_path",
)
