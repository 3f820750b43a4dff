"""Corpus in, tools out: the mined world behind a callable, and sessions over it."""

from collections.abc import Mapping
from typing import Self

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker.anchor import Anchor, anchor_of
from agent_gym.tool_mocker.mining.mine import mine
from agent_gym.tool_mocker.recorded import recorded_calls
from agent_gym.tool_mocker.session import ToolSession
from agent_gym.tool_mocker.world import World
from agent_gym.types import Json, Trace

__all__ = ["ToolMocker"]


class ToolMocker:
    """Tools that answer as the recorded ones did. Immutable; state lives in its sessions."""

    def __init__(self, world: World, corpus: Corpus) -> None:
        self.world = world
        self._corpus = corpus
        self._anchors: dict[str, Anchor] = {}

    @classmethod
    def fit(cls, corpus: Corpus) -> Self:
        """Mine the train conversations; test ones are reached only as an anchor of their own sessions."""
        declared = {t["function"]["name"]: t for trace in corpus.train for t in trace.tools if "function" in t}
        conversations = [calls for trace in corpus.train if (calls := recorded_calls(trace))]
        return cls(mine(conversations, declared.values()), corpus)

    @property
    def tools(self) -> tuple[Mapping[str, Json], ...]:
        """OpenAI-style function schemas, the traces' own where they carry them."""
        return tuple(model.schema for model in self.world.tools.values())

    @property
    def write_tools(self) -> frozenset[str]:
        return frozenset(name for name, model in self.world.tools.items() if model.kind.writes)

    @property
    def end_tools(self) -> frozenset[str]:
        """Tools that hand the customer over, and so end the conversation."""
        return frozenset(name for name, model in self.world.tools.items() if model.kind.ends)

    def __call__(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        """One call in a fresh session: nothing is remembered."""
        return self.session().call(name, arguments).result

    def session(self, conversation_id: str | Trace | None = None, *, seed: int = 0) -> ToolSession:
        """Tools with state: anchored to a recorded conversation, or free."""
        if conversation_id is None:
            return ToolSession(self.world, None, seed)
        if isinstance(conversation_id, Trace):
            return ToolSession(self.world, self._anchor(conversation_id), seed)
        anchor = self._anchors.get(conversation_id)
        if anchor is None:
            anchor = self._anchors[conversation_id] = self._anchor(self._corpus[conversation_id])
        return ToolSession(self.world, anchor, seed)

    def _anchor(self, trace: Trace) -> Anchor:
        return anchor_of(trace.conversation_id, recorded_calls(trace), self.world)
