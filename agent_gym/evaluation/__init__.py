"""Many rollouts: an environment and an agent in, success, pass^k and a run file that can be resumed out."""

from agent_gym.evaluation.agents import AgentSource, agent_source
from agent_gym.evaluation.metering import Price
from agent_gym.evaluation.rescore import rescored
from agent_gym.evaluation.run import Plan, evaluate, planned
from agent_gym.evaluation.runfile import Attempt, RunFile, is_run_file
from agent_gym.evaluation.summary import Summary, pass_hat, summarised
from agent_gym.evaluation.watching import watched

__all__ = [
    "AgentSource",
    "Attempt",
    "Plan",
    "Price",
    "RunFile",
    "Summary",
    "agent_source",
    "evaluate",
    "is_run_file",
    "pass_hat",
    "planned",
    "rescored",
    "summarised",
    "watched",
]
