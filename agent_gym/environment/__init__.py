"""The loop: an Environment (a frozen recipe) makes Episodes, an Episode answers actions with Steps."""

from agent_gym.environment.create import create_environment
from agent_gym.environment.environment import Environment
from agent_gym.environment.episode import Episode
from agent_gym.environment.opening import load, open_environment
from agent_gym.environment.query import QueryAgent
from agent_gym.environment.rollout import Rollout, play
from agent_gym.environment.scenario import Scenario

__all__ = [
    "Environment",
    "Episode",
    "QueryAgent",
    "Rollout",
    "Scenario",
    "create_environment",
    "load",
    "open_environment",
    "play",
]
