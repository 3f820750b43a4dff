"""Whether the customer was handed over when, and only when, the success did so."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["hand_over"]


def hand_over(talk: Conversation) -> Finding | None:
    share = talk.shares["hand_over"]
    if share is None:
        return None
    if share == 1.0:
        return Finding(share, "it handed the customer over, as the success did")
    if talk.goal.hands_over:
        return Finding(share, "it kept the customer, whom the success handed over")
    return Finding(share, "it handed the customer over, whom the success helped")
