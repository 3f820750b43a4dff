"""What is asked of a model and what it answers, in our own nouns: no SDK's type leaves `llm/`."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent_gym.types import Json, Message

__all__ = ["ChatModel", "ChatReply", "ChatRequest", "Usage"]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model. None leaves a setting to the service.

    `answer_schema` is a JSON schema: the model's text is then to be one JSON object that follows it. Services differ
    in how strictly they see to that, so whoever asks still checks the answer.
    """

    messages: Sequence[Message]
    system: str = ""
    tools: Sequence[Mapping[str, Json]] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    answer_schema: Mapping[str, Json] | None = None

    @property
    def instruction(self) -> str:
        """What the model is told before the conversation: `system`, then the system messages."""
        told = [self.system, *(message.text for message in self.messages if message.role == "system")]
        return "\n\n".join(text for text in told if text)

    def digest(self) -> str:
        """32 hex digits that stand for the request to the last character."""
        asked: dict[str, Json] = {
            "system": self.system,
            "messages": [message.to_dict() for message in self.messages],
            "tools": list(self.tools),
            "settings": [self.temperature, self.max_tokens, self.seed],
        }
        if self.answer_schema is not None:
            asked["answer_schema"] = self.answer_schema
        exact = json.dumps(asked, sort_keys=True, default=dict)
        return hashlib.blake2b(exact.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the service counted them; 0 where it does not say. Thinking counts as output."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """The model's message, and which model says to have written it."""

    message: Message
    usage: Usage
    model: str


class ChatModel(Protocol):
    """A model that can be asked. Every failure is an `LlmError`."""

    @property
    def name(self) -> str:
        """Provider and model, as `open_model` takes them."""
        ...

    @property
    def address(self) -> str:
        """The service that receives what is sent."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply: ...
