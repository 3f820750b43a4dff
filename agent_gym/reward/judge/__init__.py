"""An optional judge: a remote model is asked yes-or-no questions about a conversation, and can only lower its score.

Read in this order: `criteria` and `rules` (what is asked), `transcript` (what is shown), `question` and `answer` (how),
`judge` (the calls, the budget, the probes), `verdict` (what follows from it).
"""

from agent_gym.reward.judge.criteria import Criterion, CriterionLike, read_criteria
from agent_gym.reward.judge.judge import Judge, JudgeOptions
from agent_gym.reward.judge.make import JudgeLike, make_judge
from agent_gym.reward.judge.rules import policy_criteria
from agent_gym.reward.judge.verdict import Verdict, judged

__all__ = [
    "Criterion",
    "CriterionLike",
    "Judge",
    "JudgeLike",
    "JudgeOptions",
    "Verdict",
    "judged",
    "make_judge",
    "policy_criteria",
    "read_criteria",
]
