"""How much the agent's words are those of the success: logged, never rewarded, for words are cheap."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.likeness import likeness
from agent_gym.reward.said import said

__all__ = ["similarity"]


def similarity(talk: Conversation) -> Finding | None:
    theirs = " ".join(m.text for m in talk.reference.messages if m.role == "assistant")
    if not theirs.strip():
        return None
    share = likeness(said(" ".join(talk.replies)), said(theirs))
    return Finding(share, f"its words are {share:.0%} like those of the success")
