"""A subscription business of our own with real tools, customers and agents: logs whose truth is known.

`generate` gives a day's log with the truth beside each conversation, `cases` the cases alone, `play` another
agent's conversation in one of them. `Backend` is the business itself: what it answers is what the real tool
would have answered. Nothing here is shared with the miner that is measured on it.
"""

from agent_gym.sample.agents import SKILLS
from agent_gym.sample.backend import TOOLS, Answer, Backend
from agent_gym.sample.case import Case, Request, SampleConversation, succeeded
from agent_gym.sample.cases import cases
from agent_gym.sample.exports import write_files
from agent_gym.sample.generate import generate
from agent_gym.sample.play import play
from agent_gym.sample.tables import policy as _policy

__all__ = [
    "POLICY",
    "SKILLS",
    "TOOLS",
    "Answer",
    "Backend",
    "Case",
    "Request",
    "SampleConversation",
    "cases",
    "generate",
    "play",
    "succeeded",
    "write_files",
]

POLICY: str = _policy()
