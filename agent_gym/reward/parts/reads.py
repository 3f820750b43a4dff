"""Whether the agent looked up what the success looked up, where nothing was to be written."""

from agent_gym.goals import READS_NEEDED
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["reads"]


def reads(talk: Conversation) -> Finding | None:
    share = talk.shares["reads"]
    if share is None:
        return None
    verdict = "enough" if share >= READS_NEEDED else "too little"
    return Finding(share, f"it looked up {share:.0%} of what the success looked up, {verdict}")
