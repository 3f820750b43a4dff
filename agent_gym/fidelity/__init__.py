"""How true is it: the mined parts held against conversations they have not seen."""

from agent_gym.fidelity.reward import measure_reward
from agent_gym.fidelity.tools import ToolFidelity, measure_tools

__all__ = ["ToolFidelity", "measure_reward", "measure_tools"]
