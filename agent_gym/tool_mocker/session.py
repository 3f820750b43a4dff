"""One episode's view of the world: calls in, answers out, state that changes when a call writes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Self

from agent_gym.tool_mocker.alike import Alike
from agent_gym.tool_mocker.anchor import Anchor
from agent_gym.tool_mocker.faults import Injector
from agent_gym.tool_mocker.ladder import ladder
from agent_gym.tool_mocker.rungs.remote import Remote
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import World
from agent_gym.types import Json, ToolAnswer, ToolCall, WorldView

__all__ = ["ToolSession"]


class ToolSession:
    """Tools with the state of one episode. Sessions share the world and nothing else."""

    __slots__ = ("_injector", "_ladder", "_max_rung", "_remote", "_view")

    def __init__(
        self,
        world: World,
        alike: Alike,
        anchor: Anchor | None = None,
        seed: int = 0,
        *,
        max_rung: str = "neighbour",
        remote: Remote | None = None,
        injector: Injector | None = None,
    ) -> None:
        self._view = View(world, alike, anchor, seed)
        self._max_rung = max_rung
        self._remote = remote
        self._ladder = ladder(max_rung, remote.answer if remote else None)
        self._injector = injector

    def __call__(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        return self.call(name, arguments).result

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer:
        """The tool's answer with its provenance. A wrong call is answered with an error, never raised."""
        call = ToolCall(name, {} if arguments is None else arguments)
        fault = self._injector.strike(call, self._view) if self._injector else None
        if fault is not None and fault.answer is not None:
            return fault.answer  # the call came to nothing: the state is as it was
        answer = self._view.rated(call, self._ladder.answer(call, self._view))
        self._view.remember(call, answer)
        return answer if fault is None else replace(answer, latency=fault.latency)

    @property
    def world(self) -> WorldView:
        return self._view

    def fork(self) -> Self:
        """An independent copy of this session as it is now."""
        twin = object.__new__(type(self))
        twin._view = self._view.copy()
        twin._max_rung = self._max_rung
        twin._remote = self._remote.copy() if self._remote else None
        twin._ladder = ladder(twin._max_rung, twin._remote.answer if twin._remote else None)
        twin._injector = self._injector.copy() if self._injector else None
        return twin
