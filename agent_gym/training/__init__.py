"""The embedded learner: an environment in, a policy file and its learning curve out."""

from agent_gym.training.curve import drawn, sparkline
from agent_gym.training.learner import Learner, Options, Round
from agent_gym.training.picture import pictured
from agent_gym.training.run import Compared, compared, started, written

__all__ = [
    "Compared",
    "Learner",
    "Options",
    "Round",
    "compared",
    "drawn",
    "pictured",
    "sparkline",
    "started",
    "written",
]
