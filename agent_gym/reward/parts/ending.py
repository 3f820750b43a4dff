"""Whether the conversation came to an end, or broke off: a tool's answer that nobody passed on, a customer who left.

Scripted traces and some logs hold no speech at all: what the success may do, others may.
"""

from collections.abc import Sequence

from agent_gym.goals import cut_off
from agent_gym.reward.conversation import Conversation, spoken_in
from agent_gym.reward.finding import Finding
from agent_gym.types import Message

__all__ = ["ending"]


def ending(talk: Conversation) -> Finding:
    silent = not spoken_in(talk.reference.messages)
    if talk.deeds.handed_over or silent or cut_off(talk.reference.messages):
        return Finding(1.0, "it ended as the success did")
    if not talk.replies:
        return Finding(0.0, "the agent said nothing")
    if cut_off(talk.messages):
        return Finding(0.0, "it broke off before the customer was answered")
    if _left_waiting(talk.messages) and not _left_waiting(talk.reference.messages):
        return Finding(0.0, "the customer left before being answered")
    return Finding(1.0, "it came to an end")


def _left_waiting(messages: Sequence[Message]) -> bool:
    """Whether the customer has the last word, and spoke it while the agent was still at its tools."""
    last = [message.role for message in messages if message.role != "system"][-2:]
    return last == ["tool", "user"]
