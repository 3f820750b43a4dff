"""The founding `query_agent`: a customer's words in, the agent's reply out, its tool calls run on the way."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_gym.environment.calls import answered
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Agent, Message, MessageLike

__all__ = ["QueryAgent"]

_MAX_STEPS = 12


@dataclass(frozen=True, slots=True)
class QueryAgent:
    """Stateless: every call is a new conversation, with tools that start afresh."""

    agent: Agent
    tool_mocker: ToolMocker
    policy: str | None = None
    max_steps: int = _MAX_STEPS

    def __call__(self, text: str, context: Sequence[MessageLike] = ()) -> str:
        """The reply to `text`; `context` is what was said before."""
        return self.conversation(text, context)[-1].text

    def conversation(self, text: str, context: Sequence[MessageLike] = ()) -> tuple[Message, ...]:
        """The same with everything said and called on the way to the reply."""
        messages = [Message.of(message) for message in context]
        if self.policy is not None and not any(message.role == "system" for message in messages):
            messages.insert(0, Message("system", self.policy))
        messages.append(Message("user", text))
        session = self.tool_mocker.session()
        for _ in range(self.max_steps):
            message = self.agent.act(messages, self.tool_mocker.tools)
            messages.append(message)
            if not message.tool_calls:
                return tuple(messages)
            messages.extend(told for _, _, told in answered(message, session))
        messages.append(Message("assistant", "I am sorry, I could not finish this. Let me hand you to a colleague."))
        return tuple(messages)
