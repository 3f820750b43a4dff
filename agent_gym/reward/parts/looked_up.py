"""How much of what the success looked up was never looked up here, whether or not something was to be written.

What nearly every success looks up, such as who the customer is, says little about this one; what few do, says much.
"""

from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.finding import Finding

__all__ = ["looked_up"]


def looked_up(talk: Conversation) -> Finding | None:
    if not talk.goal.reads:
        return None
    lacking = [(call, 1 - credit) for call, credit in talk.goal.read_credits(talk.deeds) if credit < 1.0]
    missing = sum(share * (talk.customs.rarity(call.name) if talk.customs else 1.0) for call, share in lacking)
    if not lacking:
        return Finding(1.0, "it looked up all that the success looked up")
    calls = tuple(spoken(call) for call, _ in lacking)
    return Finding(1 / (1 + missing), f"the success also looked up {calls[0]}", calls)
