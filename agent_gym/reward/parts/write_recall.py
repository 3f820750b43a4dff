"""How many of the writes that the success made were made."""

from agent_gym.reward.conversation import Conversation, spoken
from agent_gym.reward.finding import Finding

__all__ = ["write_recall"]


def write_recall(talk: Conversation) -> Finding | None:
    goal = talk.goal
    if not goal.writes:
        return None
    missing = talk.writes.missing
    wanted = goal.distinct_writes
    if not missing:
        return Finding(1.0, f"all {wanted} required writes were made" if wanted > 1 else "the required write was made")
    calls = tuple(spoken(call) for call in missing)
    return Finding(1 - len(missing) / wanted, f"{len(missing)} of {wanted} required writes missing: {calls[0]}", calls)
