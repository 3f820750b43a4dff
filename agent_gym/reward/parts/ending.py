"""Whether the conversation came to an end, or broke off with a tool's answer that nobody passed on.

Scripted traces and some logs hold no speech at all: what the success may do, others may.
"""

from agent_gym.goals import cut_off
from agent_gym.reward.conversation import Conversation, spoken_in
from agent_gym.reward.finding import Finding

__all__ = ["ending"]


def ending(talk: Conversation) -> Finding:
    silent = not spoken_in(talk.reference.messages)
    if talk.deeds.handed_over or silent or cut_off(talk.reference.messages):
        return Finding(1.0, "it ended as the success did")
    if not talk.replies:
        return Finding(0.0, "the agent said nothing")
    if cut_off(talk.messages):
        return Finding(0.0, "it broke off before the customer was answered")
    return Finding(1.0, "it came to an end")
