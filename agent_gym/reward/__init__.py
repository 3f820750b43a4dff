"""Corpus in, scores out: how good a reply or a whole conversation was, with reasons.

Read in this order: `conversation` and `reply` (what is looked at), `parts/` and `reply_parts/` (one question
each), `combine` (the only place that knows weights and gates), `function` (the calls); `judge/` is optional.
"""

from agent_gym.reward.function import RewardFunction
from agent_gym.reward.judge import Criterion, JudgeOptions
from agent_gym.reward.ranking import Ranking

__all__ = ["Criterion", "JudgeOptions", "Ranking", "RewardFunction"]
