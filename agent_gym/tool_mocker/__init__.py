"""Corpus in, tools out: a world mined from the record that answers calls nobody made before.

Read in this order: `recorded` (what the traces show), `mining/` (what is learned from it), `world` (the
result, frozen), `session` (one episode's copy-on-write view), `ladder` and `rungs/` (how a call is answered),
`faults` (what may go wrong on request), `explain` (all of it in words).
"""

from agent_gym.tool_mocker.explain import Explanation
from agent_gym.tool_mocker.faults import Faults
from agent_gym.tool_mocker.mocker import ToolMocker
from agent_gym.tool_mocker.session import ToolSession

__all__ = ["Explanation", "Faults", "ToolMocker", "ToolSession"]
