"""What a client sends over OpenEnv's socket in, what it is answered out: one session's side of the talk.

OpenEnv's own server makes models of every message on its way in and on its way out, which takes longer than the step
that is asked for. Here only what is not plainly right goes through them, to be refused as OpenEnv would refuse it.
"""

import json
from dataclasses import dataclass

from pydantic import ValidationError

from agent_gym.adapters.openenv.session import Session
from agent_gym.adapters.openenv.wire import Wire, shown, state_of
from agent_gym.keeping import written_json
from agent_gym.types import Json

__all__ = ["Frames", "refusal"]

_FIELDS = frozenset({"content", "tool_calls"})


@dataclass(frozen=True, slots=True)
class Frames:
    session: Session
    wire: Wire

    def answer(self, text: str) -> str | None:
        """None where the client says that it leaves."""
        try:
            message = json.loads(text)
        except json.JSONDecodeError as error:
            return refusal("INVALID_JSON", f"Invalid JSON: {error}")
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "close":
            return None
        try:
            return self._answered(kind, message)
        except ValidationError as error:
            return refusal("VALIDATION_ERROR", "Invalid message", errors=error.errors())

    def _answered(self, kind: Json, message: dict[str, Json]) -> str:
        if kind == "step":
            seen = self.session.step(self._action(message))
        elif kind == "reset":
            seen = self.session.reset(**self.wire.messages.reset(**message).data)
        elif kind == "state":
            self.wire.messages.state(**message)
            return _written("state", state_of(self.session))
        else:
            return refusal("UNKNOWN_TYPE", f"Unknown message type: {kind}")
        return _written("observation", {"observation": shown(seen), "reward": seen.reward, "done": seen.done})

    def _action(self, message: dict[str, Json]) -> dict[str, Json]:
        data = message.get("data")
        if len(message) == 2 and type(data) is dict and data.keys() <= _FIELDS:
            content, calls = data.get("content"), data.get("tool_calls", [])
            if (content is None or type(content) is str) and type(calls) is list:
                return {"content": content, "tool_calls": calls}
        action = self.wire.action.model_validate(self.wire.messages.step(**message).data)
        return {"content": action.content, "tool_calls": action.tool_calls}


def refusal(code: str, problem: str, **more: Json) -> str:
    """What a client is told instead of an answer."""
    return _written("error", {"message": problem, "code": code, **more})


def _written(kind: str, data: dict[str, Json]) -> str:
    return written_json({"type": kind, "data": data}).decode()
