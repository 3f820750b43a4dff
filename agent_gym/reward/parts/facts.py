"""Whether the customer was told what the success told them, where that was what they came for."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["facts"]


def facts(talk: Conversation) -> Finding | None:
    share = talk.shares["facts"]
    if share is None:
        return None
    told, needed = talk.goal.facts_told(talk.deeds), talk.goal.facts_needed
    if share == 1.0:
        return Finding(share, f"the customer was told {', '.join(told[:4])}", tuple(told))
    untold = tuple(fact for fact in talk.goal.facts if fact not in told)
    return Finding(share, f"the customer was told {len(told)} of {needed} needed facts, not {untold[0]}", untold)
