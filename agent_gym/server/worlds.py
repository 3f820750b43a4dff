"""Names in, worlds out: every client of a server has a world of its own, and sees nobody else's writes."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from agent_gym.errors import AgentGymError
from agent_gym.tool_mocker import ToolMocker, ToolSession
from agent_gym.types import Json, ToolAnswer

__all__ = ["Worlds"]

_MOST = 10_000  # open worlds


@dataclass(slots=True)
class _World:
    session: ToolSession
    asked: float = 0.0  # when it was asked last
    lock: Lock = field(default_factory=Lock)


@dataclass(slots=True)
class Worlds:
    """Sessions by name, made when first asked for. `conversation_id` anchors all of them to one recorded case.

    Where there are `most`, one that nobody has asked for `idle_seconds` makes room for a new one; else there is none.
    """

    mocker: ToolMocker
    conversation_id: str | None = None
    seed: int = 0
    most: int = _MOST
    idle_seconds: float = 600.0
    clock: Callable[[], float] = time.monotonic
    _open: OrderedDict[str, _World] = field(default_factory=OrderedDict)  # the one asked last stands last
    _lock: Lock = field(default_factory=Lock)

    def call(self, name: str, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """One call in a world; calls in the same world wait for each other, and for no others."""
        world = self._of(name)
        with world.lock:
            return world.session.call(tool, arguments)

    def _of(self, name: str) -> _World:
        with self._lock:
            world = self._open.pop(name, None) or self._new()
            world.asked = self.clock()
            self._open[name] = world
            return world

    def _new(self) -> _World:
        if len(self._open) >= self.most:
            oldest = next(iter(self._open))
            if self.clock() - self._open[oldest].asked < self.idle_seconds:
                raise AgentGymError(f"all {self.most:,} worlds are in use; try again later, or use one you have")
            del self._open[oldest]
        return _World(self.mocker.session(self.conversation_id, seed=self.seed))

    def __len__(self) -> int:
        return len(self._open)
