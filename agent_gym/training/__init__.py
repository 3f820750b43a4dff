"""The embedded learner: an environment in, a policy file and its learning curve out."""

from agent_gym.training.curve import drawn, listed, sparkline
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
    "listed",
    "pictured",
    "sparkline",
    "started",
    "written",
]
