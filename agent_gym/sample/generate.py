"""The log of one day: a seed in, conversations with their truth out, one per customer."""

from agent_gym.sample.agents import SKILLS
from agent_gym.sample.case import SampleConversation
from agent_gym.sample.cases import cases
from agent_gym.sample.chance import seeded
from agent_gym.sample.play import play

__all__ = ["generate"]


def generate(seed: int = 0, conversations: int = 640) -> list[SampleConversation]:
    """Conversations in the order they began. Fewer are a prefix of more; the same seed gives the same bytes."""
    shares = [skill.share for skill in SKILLS.values()]
    played = []
    for case in cases(seed, conversations):
        skill = seeded("skill", seed, case.conversation_id).choices(list(SKILLS), shares)[0]
        played.append(play(case, skill, seed))
    return played
