"""How many turns it took, against the success: logged, never rewarded."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["effort"]


def effort(talk: Conversation) -> Finding | None:
    took = sum(m.role == "assistant" for m in talk.messages)
    needed = sum(m.role == "assistant" for m in talk.reference.messages)
    if not took or not needed:
        return None
    return Finding(min(1.0, needed / took), f"it took {took} steps, the success {needed}")
