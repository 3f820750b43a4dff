"""How much of what the success told its customer was left out here: no single fact of one success is sure, many are.

Beside the writes this is what real successes and failures with the same end state differ in.
"""

import re

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding

__all__ = ["told"]

_QUANTITY = re.compile(r"-?\d{1,4}|-?\d+\.\d+|\d\d:\d\d|(?:\d{4}-)?\d\d-\d\d")
_ID = 0.3  # agents differ in which ids they read out; what something costs, or when it is, they mostly all say


def told(talk: Conversation) -> Finding | None:
    news = talk.goal.news
    if not news:
        return None
    untold = tuple(fact for fact in news if fact not in talk.deeds.told)
    if not untold:
        return Finding(1.0, "the customer was told all that the success told")
    # How many are missing tells more than which share of them: who told little of a long list left much out.
    missing = sum(map(_weight, untold))
    return Finding(1 / (1 + missing), f"the success also told {', '.join(untold[:3])}", untold)


def _weight(fact: str) -> float:
    return 1.0 if _QUANTITY.fullmatch(fact) else _ID
