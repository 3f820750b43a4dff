"""Corpus in, tools out: the mined world behind a callable, and sessions over it."""

from collections.abc import Iterable, Mapping
from typing import Protocol, Self, overload
from weakref import WeakValueDictionary

from agent_gym.errors import OptionError
from agent_gym.llm import ChatModel, open_model
from agent_gym.tool_mocker.explain import Explanation, explain
from agent_gym.tool_mocker.faults import Faults, Injector
from agent_gym.tool_mocker.log import Shared, recorded_calls
from agent_gym.tool_mocker.mine import mine
from agent_gym.tool_mocker.rules.neighbour import Alike
from agent_gym.tool_mocker.rules.remote import Remote, Replies
from agent_gym.tool_mocker.schemas import ResultSchema
from agent_gym.tool_mocker.session import ToolSession
from agent_gym.tool_mocker.state import Anchor
from agent_gym.tool_mocker.validation import validation, with_earned
from agent_gym.tool_mocker.world import Tool, World
from agent_gym.types import Json, Trace, Watch, unwatched

__all__ = ["ToolMocker"]


WORTH_A_PROCESS = 200  # conversations: with fewer, a process takes longer to start than to validate


class TraceSource(Protocol):
    """What is mined: a `Corpus`, or anything that reads its conversations from elsewhere."""

    @property
    def train(self) -> Iterable[Trace]: ...

    @property
    def groups(self) -> Mapping[str, int]:
        """conversation → the customer, or the case, that it is of."""
        ...

    def __getitem__(self, conversation_id: str, /) -> Trace: ...


class ToolMocker:
    """Tools that answer as the recorded ones did. Immutable; state lives in its sessions."""

    def __init__(self, world: World, corpus: TraceSource) -> None:
        self.world = world
        self._corpus = corpus
        self._alike = Alike()
        self._anchors: WeakValueDictionary[str, Anchor] = WeakValueDictionary()  # those of the sessions now open
        self._replies: Replies = {}  # what models have answered: a question is sent once, whichever session asks it

    @classmethod
    def fit(cls, corpus: TraceSource, workers: int = 1, watch: Watch = unwatched) -> Self:
        """Mine the train conversations; test ones are reached only as an anchor of their own sessions.

        With more than one worker, the world of a larger log is validated in another process while it is mined.
        """
        declared: dict[str, Mapping[str, Json]] = {}
        conversations, shared = [], Shared()
        for trace in corpus.train:
            declared |= {tool["function"]["name"]: tool for tool in trace.tools if "function" in tool}
            if calls := shared.calls(recorded_calls(trace)):
                conversations.append(calls)
        del shared  # its index is as large as the log is varied; mining needs the room
        elsewhere = workers > 1 and len(conversations) >= WORTH_A_PROCESS
        precision = validation(conversations, corpus.groups, elsewhere=elsewhere, watch=watch)
        world = mine(conversations, declared.values(), corpus.groups, watch)
        return cls(with_earned(world, precision()), corpus)

    @property
    def tools(self) -> tuple[Mapping[str, Json], ...]:
        """OpenAI-style function schemas, the traces' own where they carry them.

        Gemini takes their parameters as `parameters_json_schema`.
        """
        return tuple(model.schema for model in self.world.tools.values())

    def result_schema(self, name: str) -> ResultSchema:
        """What a tool's results look like, in JSON Schema: successes and errors apart."""
        return self._model(name).results

    @property
    def write_tools(self) -> frozenset[str]:
        return frozenset(name for name, kind in self.world.kinds.items() if kind.writes)

    @property
    def doubtful_tools(self) -> frozenset[str]:
        """Of the tools that write, those of which nothing says so but that they answer nothing new."""
        return frozenset(name for name, kind in self.world.kinds.items() if kind.writes and kind.doubtful)

    @property
    def end_tools(self) -> frozenset[str]:
        """Tools that hand the customer over, and so end the conversation."""
        return frozenset(name for name, kind in self.world.kinds.items() if kind.ends)

    def __call__(self, name: str, arguments: Mapping[str, Json] | None = None) -> Json:
        """One call in a fresh session: nothing is remembered."""
        return self.session().call(name, arguments).result

    def session(
        self,
        conversation_id: str | Trace | None = None,
        *,
        seed: int = 0,
        max_rung: str = "neighbour",
        faults: Faults | None = None,
        model: ChatModel | str | None = None,
    ) -> ToolSession:
        """Tools with state: anchored to a recorded conversation, or free.

        `max_rung` is the least sure source that may answer: "recorded" is strict replay, "llm" also asks
        `model` (a spec of `open_model`, or a model; a `CachedModel` keeps its answers for other runs).
        """
        if faults is not None:
            for tool in faults.tools or ():
                if tool not in self.world.tools:
                    raise OptionError("tools", tool, self.world.tools)
        asked = open_model(model) if isinstance(model, str) else model
        return ToolSession(
            self.world,
            self._alike,
            self._anchor(conversation_id),
            seed,
            max_rung=max_rung,
            remote=Remote(asked, self._replies) if asked is not None else None,
            injector=Injector(faults) if faults is not None else None,
        )

    @overload
    def explain(self, name: str) -> Explanation: ...

    @overload
    def explain(self, name: None = None) -> tuple[Explanation, ...]: ...

    def explain(self, name: str | None = None) -> Explanation | tuple[Explanation, ...]:
        """What is known of a tool and by which rules it answers; without a name, of every tool."""
        if name is None:
            return tuple(self.explain(known) for known in self.world.tools)
        return explain(self._model(name), self.world)

    def _model(self, name: str) -> Tool:
        model = self.world.tools.get(name)
        if model is None:
            raise OptionError("name", name, self.world.tools)
        return model

    def _anchor(self, conversation: str | Trace | None) -> Anchor | None:
        if conversation is None:
            return None
        if isinstance(conversation, Trace):
            return Anchor(conversation, self.world)
        anchor = self._anchors.get(conversation)
        if anchor is None:
            anchor = self._anchors[conversation] = Anchor(self._corpus[conversation], self.world)
        return anchor
