"""Whether a write was made more often than the success made it: a refund given twice is not one refund."""

from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.finding import Finding

__all__ = ["repeats"]


def repeats(talk: Conversation) -> Finding | None:
    if not talk.deeds.writes:
        return None
    repeated = tuple(spoken(call) for call in talk.writes.repeated)
    if not repeated:
        return Finding(1.0, "no write was repeated")
    return Finding(0.0, f"a write was repeated: {repeated[0]}", repeated)
