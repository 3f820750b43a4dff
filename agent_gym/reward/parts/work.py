"""Whether the agent did anything at all where the success used its tools."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["work"]


def work(talk: Conversation) -> Finding | None:
    if not talk.goal.writes and not talk.goal.reads:
        return None
    if talk.deeds.writes or talk.deeds.reads:
        return Finding(1.0, "it used its tools")
    return Finding(0.0, "it looked nothing up and changed nothing, where the success did")
