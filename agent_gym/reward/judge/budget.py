"""A model and a limit in, the same model out, until it has been asked so often, or with so many tokens."""

import threading
from dataclasses import dataclass, field

from agent_gym.errors import BudgetSpent
from agent_gym.llm import ChatModel, ChatReply, ChatRequest

__all__ = ["Metered"]

_CHARACTERS = 4  # a token, roughly, where a service does not count


@dataclass(slots=True)
class Metered:
    """What was spent is the one thing that changes; threads may share it.

    A call is counted before it is made, whatever becomes of it; tokens when they are known, so the last call allowed
    may go over.
    """

    model: ChatModel
    max_calls: int
    max_tokens: int | None
    calls: int = 0
    tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def address(self) -> str:
        return self.model.address

    def complete(self, request: ChatRequest) -> ChatReply:
        with self._lock:
            if self.calls >= self.max_calls:
                raise BudgetSpent(f"{self.name} has been asked {self.calls} times, which is all its max_calls allows")
            if self.max_tokens is not None and self.tokens >= self.max_tokens:
                raise BudgetSpent(f"{self.name} has used {self.tokens} tokens of the {self.max_tokens} it may")
            self.calls += 1
        reply = self.model.complete(request)
        with self._lock:
            self.tokens += _tokens(request, reply)
        return reply


def _tokens(request: ChatRequest, reply: ChatReply) -> int:
    counted = reply.usage.input_tokens + reply.usage.output_tokens
    if counted:
        return counted
    sent = len(request.instruction) + sum(len(message.text) for message in request.messages)
    return (sent + len(reply.message.text)) // _CHARACTERS
