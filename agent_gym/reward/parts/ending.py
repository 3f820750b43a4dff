"""Whether the conversation came to an end, or broke off with a tool's answer that nobody passed on."""

from agent_gym.goals import cut_off
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["ending"]


def ending(talk: Conversation) -> Finding:
    if not talk.replies and not talk.deeds.handed_over:
        return Finding(0.0, "the agent said nothing")
    if cut_off(talk.messages) and not talk.deeds.handed_over:
        return Finding(0.0, "it broke off before the customer was answered")
    return Finding(1.0, "it came to an end")
