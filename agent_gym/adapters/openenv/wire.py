"""Tasks in, the classes that OpenEnv's server is made of out: action, observation, state, environment."""

from typing import Any, NamedTuple

from agent_gym import __version__
from agent_gym.adapters.openenv.session import Seen, Session
from agent_gym.adapters.openenv.tasks import SPLITS, Tasks
from agent_gym.adapters.openenv.versions import require_openenv
from agent_gym.types import Json

__all__ = ["Messages", "Wire", "shown", "state_of", "wire"]

_CALL: dict[str, Json] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}, "id": {"type": "string"}},
    "required": ["name", "arguments"],
}
_STATE = ("episode_id", "step_count", "conversation_id", "split", "seed", "ending", "score")
_ABOUT = "Conversations with customers, mined from recorded ones: the tools answer as the real ones did."


class Messages(NamedTuple):
    """OpenEnv's own models of what a client may send over a socket."""

    reset: Any
    step: Any
    state: Any


class Wire(NamedTuple):
    """What `create_fastapi_app` takes, and what its socket understands."""

    environment: Any
    action: Any
    observation: Any
    state: Any
    messages: Messages


def wire(tasks: Tasks, name: str) -> Wire:
    """The classes, bound to the tasks: OpenEnv makes its environments without arguments."""
    action, observation, state = _models()
    from openenv.core.env_server.types import (  # noqa: PLC0415  an optional extra
        WSResetMessage,
        WSStateMessage,
        WSStepMessage,
    )

    messages = Messages(WSResetMessage, WSStepMessage, WSStateMessage)
    return Wire(_environment(tasks, name, observation, state), action, observation, state, messages)


def _models() -> tuple[type, type, type]:
    require_openenv()
    from openenv.core.env_server.types import Action, Observation, State  # noqa: PLC0415  an optional extra
    from pydantic import Field  # noqa: PLC0415

    class AgentAction(Action):  # type: ignore[misc]  # no types without the extra
        """What the agent says to the customer, or the tools it calls; malformed calls come back as observations."""

        content: str | None = Field(None, description="What to say to the customer.")
        tool_calls: list[Any] = Field(
            default_factory=list, description="The tools to call, in order.", json_schema_extra={"items": _CALL}
        )

    class AgentObservation(Observation):  # type: ignore[misc]  # as above
        """What happened since the agent last acted: the customer's words, or the tools' answers."""

        text: str = Field(description="What happened, as one text.")
        messages: list[dict[str, Any]] = Field(description="The same as messages; after a reset, the whole prompt.")
        conversation_id: str = Field(description="The recorded case that is played.")
        tools: list[dict[str, Any]] = Field(description="After a reset: the tools' function schemas.")
        sources: list[str] = Field(description="Where each tool's answer comes from: recorded, state, rule, …")
        flags: list[str] = Field(description="What was odd: malformed_action, off_support.")
        ending: str = Field(description="live, or how the conversation ended.")
        truncated: bool = Field(description="Whether it was cut off, rather than ended.")
        success: bool | None = Field(description="At the end: whether the customer's goal was reached.")

    class EpisodeState(State):  # type: ignore[misc]  # as above
        """Which episode a session plays, how far it is, and at its end the reward's parts and reasons."""

        conversation_id: str | None = None
        split: str | None = None
        seed: int | None = None
        ending: str | None = None
        score: dict[str, Any] | None = None

    return AgentAction, AgentObservation, EpisodeState


def _environment(tasks: Tasks, name: str, observation: Any, state_model: Any) -> type:
    from openenv.core.env_server.interfaces import Environment  # noqa: PLC0415  an optional extra
    from openenv.core.env_server.types import EnvironmentMetadata  # noqa: PLC0415

    def made(seen: Seen) -> Any:
        """Not validated once more: what is shown is ours."""
        return observation.model_construct(**shown(seen), done=seen.done, reward=seen.reward)

    class GymEnvironment(Environment):  # type: ignore[misc]  # no types without the extra
        """A session of OpenEnv's. Every session has a thread of its own there, so a slow step delays no other."""

        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self) -> None:
            super().__init__()
            self._session = Session(tasks)

        def reset(self, seed: int | None = None, episode_id: str | None = None, **asked: Json) -> Any:
            return made(self._session.reset(seed, episode_id, **asked))

        def step(self, action: Any, timeout_s: float | None = None, **_: Json) -> Any:
            del timeout_s  # a step takes milliseconds; a customer played by a model has time limits of its own
            return made(self._session.step({"content": action.content, "tool_calls": action.tool_calls}))

        @property
        def state(self) -> Any:
            return state_model(**state_of(self._session))

        def get_metadata(self) -> Any:
            return EnvironmentMetadata(name=name, description=_ABOUT, version=__version__)

        def list_splits(self) -> list[dict[str, Json]]:
            return [{"name": split, "type": split} for split in SPLITS]

        def list_tasks(self, split: str) -> list[dict[str, Json]]:
            return self.get_task_range(split)

        def num_tasks(self, split: str) -> int:
            return len(tasks.of_split(split))

        def get_task(self, split: str, index: int) -> dict[str, Json]:
            return tasks.task(split, index)

        def get_task_range(
            self, split: str, start: int | None = None, stop: int | None = None
        ) -> list[dict[str, Json]]:
            places = range(len(tasks.of_split(split)))[start:stop]
            return [tasks.task(split, at) for at in places]

    return GymEnvironment


def shown(seen: Seen) -> dict[str, Json]:
    """An observation, without `done` and `reward`: on the wire these stand beside it."""
    return {
        "metadata": {},
        "text": seen.text,
        "messages": [message.to_dict() for message in seen.messages],
        "conversation_id": seen.conversation_id,
        "tools": [dict(tool) for tool in seen.tools],
        "sources": list(seen.sources),
        "flags": list(seen.flags),
        "ending": seen.ending,
        "truncated": seen.truncated,
        "success": seen.success,
    }


def state_of(session: Session) -> dict[str, Json]:
    """Which episode a session plays, and its score: worked out when it is asked for, as most only take the number."""
    episode = session.episode
    if episode is None:
        return dict.fromkeys(_STATE) | {"step_count": 0}
    score = episode.score.to_dict() if episode.score is not None else None
    scenario = episode.scenario
    told = (session.episode_id, episode.turns, scenario.conversation_id, scenario.split, episode.seed, episode.ending)
    return dict(zip(_STATE, (*told, score), strict=True))
