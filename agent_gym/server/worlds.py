"""Names in, worlds out: every client of a server has a world of its own, and sees nobody else's writes."""

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from agent_gym.tool_mocker import ToolMocker, ToolSession

__all__ = ["Worlds"]

_MOST = 10_000  # open worlds; the one that was left alone longest makes room for a new one


@dataclass(slots=True)
class Worlds:
    """Sessions by name, made when first asked for. `conversation_id` anchors all of them to one recorded case."""

    mocker: ToolMocker
    conversation_id: str | None = None
    seed: int = 0
    most: int = _MOST
    _open: OrderedDict[str, ToolSession] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def of(self, name: str) -> ToolSession:
        with self._lock:
            session = self._open.pop(name, None) or self.mocker.session(self.conversation_id, seed=self.seed)
            self._open[name] = session
            if len(self._open) > self.most:
                self._open.popitem(last=False)
            return session

    def __len__(self) -> int:
        return len(self._open)
