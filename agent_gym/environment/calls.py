"""A message's tool calls in, their answers out, each with the message that tells it to the agent."""

from collections.abc import Iterator

from agent_gym.tool_mocker import ToolSession
from agent_gym.types import Message, ToolAnswer, ToolCall

__all__ = ["answered"]


def answered(message: Message, session: ToolSession) -> Iterator[tuple[ToolCall, ToolAnswer, Message]]:
    """Run a message's calls in the listed order: each with its answer and the tool message that tells it."""
    for at, call in enumerate(message.tool_calls):
        answer = session.call(call.name, call.arguments)
        told = Message(
            "tool", name=call.name, tool_call_id=call.id or f"call_{at}", result=answer.result, is_error=answer.is_error
        )
        yield call, answer, told
