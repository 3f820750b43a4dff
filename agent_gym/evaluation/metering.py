"""An agent behind a remote model in, the same with a meter out: how many tokens one episode took."""

from dataclasses import dataclass, replace
from typing import Self

from agent_gym.agent import RemoteAgent
from agent_gym.errors import OptionError
from agent_gym.llm import ChatModel, ChatReply, ChatRequest, Usage
from agent_gym.types import Agent

__all__ = ["Metered", "Price", "metered", "used_by"]


class Metered:
    """A `ChatModel` that counts what its answers cost; made for one episode."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.usage = Usage()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def address(self) -> str:
        return self._model.address

    def complete(self, request: ChatRequest) -> ChatReply:
        reply = self._model.complete(request)
        so_far, more = self.usage, reply.usage
        self.usage = Usage(so_far.input_tokens + more.input_tokens, so_far.output_tokens + more.output_tokens)
        return reply


def metered(agent: Agent) -> Agent:
    """The agent with a meter of its own, if it asks a model."""
    return replace(agent, model=Metered(agent.model)) if isinstance(agent, RemoteAgent) else agent


def used_by(agent: Agent) -> Usage | None:
    """What the agent has used since it got its meter; None where that is not known."""
    if not isinstance(agent, RemoteAgent) or not isinstance(agent.model, Metered):
        return None
    return agent.model.usage if agent.model.usage != Usage() else None


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input: float
    output: float

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Input and output prices as `0.30/2.50`."""
        given, slash, taken = text.partition("/")
        try:
            price = cls(float(given), float(taken if slash else given))
        except ValueError:
            price = cls(-1.0, -1.0)
        if not (0 <= price.input < float("inf") and 0 <= price.output < float("inf")):
            raise OptionError(
                "price", text, ("dollars for a million tokens, input/output, as 0.30/2.50",), "is no price"
            )
        return price

    def of(self, usage: Usage) -> float:
        return (self.input * usage.input_tokens + self.output * usage.output_tokens) / 1e6
