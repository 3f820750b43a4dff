"""What OpenEnv asks for in, what is seen out: a session plays one episode after the other."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.environment import Episode
from agent_gym.errors import AgentGymError, OptionError
from agent_gym.types import Json, Message

__all__ = ["Seen", "Session"]

# What a reset may say beside OpenEnv's own `seed` and `episode_id`. A customer or tools played by a remote model are
# not for a client to ask for: they would send the record elsewhere.
_CHOICES: Mapping[str, type] = {"split": str, "index": int, "conversation_id": str}
_OPTIONS: Mapping[str, type] = {
    "user": str,
    "from_turn": int,
    "max_turns": int,
    "max_tokens": int,
    "off_support": str,
    "shaping": bool,
}
_USERS = ("agenda", "replay")


@dataclass(frozen=True, slots=True)
class Seen:
    """What one request led to: the messages that are new, and where each of the tools' answers comes from.

    `reward` is None on a reset, and at the end of a case that nothing can be held against.
    """

    text: str
    messages: tuple[Message, ...]
    conversation_id: str
    tools: tuple[Mapping[str, Json], ...] = ()
    sources: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    ending: str = "live"
    truncated: bool = False
    success: bool | None = None
    reward: float | None = None

    @property
    def done(self) -> bool:
        return self.ending != "live"


@dataclass(slots=True)
class Session:
    """One client's own: no other session sees its episode."""

    tasks: Tasks
    episode: Episode | None = None
    episode_id: str | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **asked: Json) -> Seen:
        """A new episode: of a `conversation_id`, of a task by `split` and `index`, or of the case the seed falls on."""
        _check(asked, seed)
        conversation_id, seed = self._case(asked, seed)
        options = {name: value for name, value in asked.items() if name in _OPTIONS and value is not None}
        self.episode = self.tasks.gym.episode(conversation_id, seed=seed, **options)
        self.episode_id = episode_id or f"{conversation_id}/{seed}"
        return Seen(self.episode.observation, self.episode.messages, conversation_id, tools=self.episode.tools)

    def step(self, action: Mapping[str, Json]) -> Seen:
        """One action of the agent. Text alone goes as text, which may be JSON that holds tool calls."""
        episode = self.episode
        if episode is None:
            raise AgentGymError("there is no episode yet: reset() starts one")
        said, answered = len(episode.messages), len(episode.answers)
        step = episode.step(action if action.get("tool_calls") else action.get("content") or "")
        score = episode.score
        return Seen(
            step.observation,
            episode.messages[said + 1 :],
            episode.scenario.conversation_id,
            sources=tuple(answer.source for _, answer in episode.answers[answered:]),
            flags=episode.flags,
            ending=episode.ending,
            truncated=step.truncated,
            success=score.success if score is not None else None,
            reward=None if episode.over and score is None else step.reward,
        )

    def _case(self, asked: Mapping[str, Json], seed: int | None) -> tuple[str, int]:
        split = asked.get("split") or "train"
        if (named := asked.get("conversation_id")) is not None:
            return named, seed or 0
        if (index := asked.get("index")) is not None:
            ids = self.tasks.of_split(split)
            if not 0 <= index < len(ids):
                raise OptionError("index", index, (f"the {len(ids)} tasks of {split}, counted from 0",), "is none")
            return ids[index], seed or 0
        return self.tasks.drawn(split, seed)


def _check(asked: Mapping[str, Json], seed: Json) -> None:
    known = {**_CHOICES, **_OPTIONS}
    for name, value in asked.items():
        if name not in known:
            raise OptionError("reset option", name, known)
        if value is not None and type(value) is not known[name]:
            raise OptionError(name, value, (known[name].__name__,), "is of another type")
    if asked.get("user") not in (None, *_USERS):
        raise OptionError("user", asked["user"], _USERS)
    if seed is not None and (type(seed) is not int or seed < 0):
        raise OptionError("seed", seed, ("a whole number from 0 on",), "is none")
