"""Corpus in, tools out: a world mined from the record that answers calls nobody made before.

To follow a call, read `mocker` (the entry), `session`, `ladder`, then `rungs/` in the ladder's order; `view` is the
session's state, `anchor` the recorded conversation it replays, `world` all that was mined, `alike` the recorded calls
most like one, `faults` what may go wrong on request.

To follow a rule, read `recorded` (what the traces show) and `shared` (equal parts kept once), `sites` (the records in
a result), `mining/` from `mine` on (its own text gives the order), `rules/` (the language that rules are learned in).
`validation` measures the result and `calibration` makes confidence of it; `explain` tells all of it in words.
"""

from agent_gym.tool_mocker.explain import Explanation
from agent_gym.tool_mocker.faults import Faults
from agent_gym.tool_mocker.mocker import ToolMocker
from agent_gym.tool_mocker.session import ToolSession

__all__ = ["Explanation", "Faults", "ToolMocker", "ToolSession"]
