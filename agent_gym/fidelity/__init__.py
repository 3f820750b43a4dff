"""How true is it: the mined parts held against conversations they have not seen."""

from agent_gym.fidelity.audit import Audit, audit
from agent_gym.fidelity.held_out import HeldOut, measure_held_out
from agent_gym.fidelity.held_out_users import HeldOutUsers, measure_held_out_users
from agent_gym.fidelity.ranking import Ranking, measure_ranking
from agent_gym.fidelity.reward import measure_reward
from agent_gym.fidelity.tools import ToolFidelity, measure_tools
from agent_gym.fidelity.watch import hack_shares
from agent_gym.fidelity.whole import Fidelity, measure_fidelity

__all__ = [
    "Audit",
    "Fidelity",
    "HeldOut",
    "HeldOutUsers",
    "Ranking",
    "ToolFidelity",
    "audit",
    "hack_shares",
    "measure_fidelity",
    "measure_held_out",
    "measure_held_out_users",
    "measure_ranking",
    "measure_reward",
    "measure_tools",
]
