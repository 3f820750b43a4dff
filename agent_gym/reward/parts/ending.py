"""Whether the conversation came to an end, or broke off: a tool's answer that nobody passed on, a customer who left.

Scripted traces and some logs hold no speech at all: what the success may do, others may.
"""

from agent_gym.goals import cut_off
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.questions import Questions
from agent_gym.reward.success import left_waiting

__all__ = ["ending"]


def ending(talk: Conversation) -> Finding:
    if talk.deeds.handed_over or not talk.reference.replies or talk.reference.breaks_off:
        return Finding(1.0, "it ended as the success did")
    if not talk.replies:
        return Finding(0.0, "the agent said nothing")
    if cut_off(talk.messages):
        return Finding(0.0, "it broke off before the customer was answered")
    if left_waiting(talk.messages) and not talk.reference.left_waiting:
        return Finding(0.0, "the customer left before being answered")
    if question := _left_at(talk):
        return Finding(0.0, f"the customer left at {question!r}", (question,))
    return Finding(1.0, "it came to an end")


def _left_at(talk: Conversation) -> str:
    """The question the customer left at, of a kind that no success ends on, nor the one this is held against."""
    questions = talk.customs.questions if talk.customs else Questions()
    question = questions.left_at(talk.messages)
    return "" if question and questions.left_at(talk.reference.messages) else question
