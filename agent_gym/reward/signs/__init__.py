"""A conversation in, signs of how it went out, read off the conversation itself: no success of its case is needed.

They look at what was done, what the tools answered, and what the customer said; never at what the agent said,
for words are cheap. `counted` holds what can be counted anywhere, `learned` what the labelled conversations teach.
"""

from agent_gym.reward.signs.counted import COUNTED
from agent_gym.reward.signs.learned import Lessons, Signs, Terms

__all__ = ["COUNTED", "Lessons", "Signs", "Terms"]
