"""Whether the world ended as the success left it."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["end_state"]


def end_state(talk: Conversation) -> Finding | None:
    share = talk.shares["end_state"]
    if share is None:
        return None
    if not talk.goal.writes:
        return Finding(share, f"it changed something where {_success(talk)} changed nothing")
    if share == 1.0:
        return Finding(share, f"the end state is that of {_success(talk)}")
    return Finding(share, f"the end state is {share:.0%} of the way to that of {_success(talk)}")


def _success(talk: Conversation) -> str:
    return f"the successful conversation {talk.goal.conversation_id!r}"
