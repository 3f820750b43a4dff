"""Tools that answer as the recorded ones did: a world mined from the record that answers calls nobody made before.

To follow a call, read `mocker` (the entry), `session` (which rule answers, and what its label is), `state` (what the
session knows and has changed), then the rule itself in `rules/`.

To follow what is learned, read `log` (the recorded calls), `entities` and `tables` (the records that results show),
`kinds` (which tools write), `dependence` (which writes an answer depends on), `evidence` (all of that together),
`rules/` and `effects` (what is learned from it), `expressions/` (the language that rules are written in) and
`induction/` (how they are found). `mine` puts it into a `world`; `validation` measures the rules on the log itself and
`precision` makes order, label and confidence of that. `explain` tells all of it in words, `stored` keeps it.
"""

from agent_gym.tool_mocker.explain import Explanation
from agent_gym.tool_mocker.faults import Faults
from agent_gym.tool_mocker.mocker import ToolMocker
from agent_gym.tool_mocker.session import ToolSession

__all__ = ["Explanation", "Faults", "ToolMocker", "ToolSession"]
