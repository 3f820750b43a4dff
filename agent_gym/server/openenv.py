"""A gym in, an OpenEnv server out: a WebSocket an episode, splits and tasks over HTTP."""

from typing import Any

from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.adapters.openenv.versions import require_openenv
from agent_gym.adapters.openenv.wire import wire
from agent_gym.environment import Environment, play
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.errors import AgentGymError, OptionError, UnknownConversation
from agent_gym.server.asgi import App
from agent_gym.server.episodes import Episodes
from agent_gym.server.limits import Limits

__all__ = ["openenv_app"]

_CALLERS = (OptionError, UnknownConversation)  # what is wrong with what was asked for


def openenv_app(gym: Environment, limits: Limits, name: str = "agent_gym") -> App:
    """OpenEnv's own application, playing this gym; nothing guards it yet."""
    require_openenv()
    from fastapi.responses import JSONResponse  # noqa: PLC0415  an optional extra
    from openenv.core.env_server.http_server import create_fastapi_app  # noqa: PLC0415
    from openenv.core.env_server.types import ConcurrencyConfig  # noqa: PLC0415

    tasks = Tasks.of(gym)
    _warm_up(tasks)
    made = wire(tasks, name)
    app = create_fastapi_app(
        made.environment,
        made.action,
        made.observation,
        env_name=name,
        state_cls=made.state,
        concurrency_config=ConcurrencyConfig(max_concurrent_envs=limits.sessions, session_timeout=limits.idle_seconds),
        mode="simulation",
    )

    async def told(_request: Any, error: Exception) -> Any:
        return JSONResponse({"error": str(error)}, status_code=400 if isinstance(error, _CALLERS) else 409)

    app.add_exception_handler(AgentGymError, told)
    return Episodes(app, tasks, made, limits)


def _warm_up(tasks: Tasks) -> None:
    """Play one case: the reward is fitted when it is first asked, and no client should have to wait for that."""
    first = next(conversation_id for ids in tasks.ids.values() for conversation_id in ids)
    play(tasks.gym.episode(first), ReplayAgent(tasks.gym.corpus[first]))
