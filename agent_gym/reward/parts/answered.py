"""Whether what the success looked up only to tell its customer was looked up here, or told all the same."""

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["answered"]


def answered(talk: Conversation) -> Finding | None:
    share = talk.shares["answered"]
    if share is None:
        return None
    lacking = talk.goal.unanswered(talk.deeds)
    if not lacking:
        return Finding(1.0, "what the success found out for its customer was found out here")
    untold = tuple(text for text in talk.goal.answers[lacking[0]] if text not in talk.deeds.told)
    return Finding(share, f"it never asked {lacking[0]}, by which the success could tell {untold[0]!r}", untold)
