"""An agent behind a remote model: the conversation and the tools in, one message of the model out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.agent.demonstrations import demonstrations, prompt
from agent_gym.corpus import Corpus
from agent_gym.llm import ChatModel, ChatRequest
from agent_gym.types import Json, Message

__all__ = ["RemoteAgent"]


@dataclass(frozen=True, slots=True)
class RemoteAgent:
    """One request to the model a step. The loop that runs the tools is the environment's.

    `policy` is for conversations that bring no system message; `shown` is how many recorded successes the
    model is shown, taken from the train split only.
    """

    model: ChatModel
    corpus: Corpus
    policy: str | None = None
    shown: int = 3
    temperature: float | None = None

    def act(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> Message:
        own = [message.text for message in messages if message.role == "system" and message.text]
        opener = next((message.text for message in messages if message.role == "user"), "")
        policy = "\n\n".join(own) or self.policy or prompt("policy")
        examples = demonstrations(self.corpus, opener, self.shown)
        request = ChatRequest(
            messages=[message for message in messages if message.role != "system"],
            system="\n\n".join(part for part in (policy, examples) if part),
            tools=tools,
            temperature=self.temperature,
        )
        return self.model.complete(request).message
