"""One episode's view of the world: calls in, answers out, state that changes when a call writes."""

from collections.abc import Mapping
from typing import Self

from agent_gym.tool_mocker.anchor import Anchor
from agent_gym.tool_mocker.ladder import LADDER
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import World
from agent_gym.types import Json, ToolAnswer, ToolCall, WorldView

__all__ = ["ToolSession"]


class ToolSession:
    """Tools with the state of one episode. Sessions share the world and nothing else."""

    __slots__ = ("_view",)

    def __init__(self, world: World, anchor: Anchor | None = None, seed: int = 0) -> None:
        self._view = View(world, anchor, seed)

    def __call__(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        return self.call(name, arguments).result

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer:
        """The tool's answer with its provenance. A wrong call is answered with an error, never raised."""
        call = ToolCall(name, {} if arguments is None else arguments)
        answers = (rung(call, self._view) for rung in LADDER)
        answer = next(answer for answer in answers if answer is not None)  # the last rung always answers
        self._view.remember(call, answer)
        return answer

    @property
    def world(self) -> WorldView:
        return self._view

    def fork(self) -> Self:
        """An independent copy of this session as it is now."""
        twin = object.__new__(type(self))
        twin._view = self._view.copy()
        return twin
