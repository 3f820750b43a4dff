"""An OpenEnv application in, the same application out, its episodes played by us: a socket is a session."""

from functools import partial

from agent_gym.adapters.openenv.frames import Frames, refusal
from agent_gym.adapters.openenv.session import Session
from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.adapters.openenv.wire import Wire
from agent_gym.server.asgi import App, Receive, Scope, Send
from agent_gym.server.crew import Crew
from agent_gym.server.limits import Limits

__all__ = ["Episodes"]

_PATH, _CREW = "/ws", "agent_gym_crew"


class Episodes:
    """Takes the sockets of episodes; all else is OpenEnv's, and so is a socket that joins a session of OpenEnv's."""

    def __init__(self, app: App, tasks: Tasks, wire: Wire, limits: Limits) -> None:
        self._app, self._tasks, self._wire, self._limits = app, tasks, wire, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif scope["type"] == "websocket" and scope["path"] == _PATH and b"session_id=" not in scope["query_string"]:
            await self._play(scope["state"][_CREW], receive, send)
        else:
            await self._app(scope, receive, send)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        """From the server's start to its end."""
        crew: Crew[str | None] = Crew(self._limits.sessions)
        scope["state"][_CREW] = crew
        try:
            await self._app(scope, receive, send)
        finally:
            crew.close()

    async def _play(self, crew: Crew[str | None], receive: Receive, send: Send) -> None:
        await receive()  # that somebody is there
        await send({"type": "websocket.accept"})
        frames = Frames(Session(self._tasks), self._wire)
        while (event := await receive())["type"] == "websocket.receive":
            told = await crew.attempt(partial(frames.answer, event["text"]))
            if told is None:
                await send({"type": "websocket.close", "code": 1000})
                return
            if isinstance(told, BaseException):
                told = refusal("EXECUTION_ERROR", str(told))
            await send({"type": "websocket.send", "text": told})
