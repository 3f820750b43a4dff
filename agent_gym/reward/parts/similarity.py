"""How much the agent's words are those of the success: logged, never rewarded, for words are cheap."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.likeness import likeness
from agent_gym.text import tokens

__all__ = ["similarity"]


def similarity(talk: Conversation) -> Finding | None:
    theirs = talk.reference.replies
    if not theirs:
        return None
    share = likeness(tokens(" ".join(talk.replies)), tokens(" ".join(theirs)))
    return Finding(share, f"its words are {share:.0%} like those of the success")
