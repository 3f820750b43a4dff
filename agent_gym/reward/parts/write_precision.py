"""How many of the writes made were wanted; a repeat of a wanted write was not."""

from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.finding import Finding

__all__ = ["write_precision"]


def write_precision(talk: Conversation) -> Finding | None:
    made = len(talk.deeds.writes)
    if not made:
        return None
    needless = talk.writes.needless
    if not needless:
        return Finding(1.0, "every write was wanted")
    calls = tuple(spoken(call) for call in needless)
    return Finding(1 - len(needless) / made, f"{len(needless)} of {made} writes not wanted: {calls[0]}", calls)
