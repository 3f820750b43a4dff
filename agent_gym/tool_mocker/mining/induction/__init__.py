"""Contexts and the values they led to in, the simplest rule that explains them out.

Read in this order: `inducer` (the entry: what is tried, in which order), `agreement` (when a rule counts as an
explanation), then the ideas, one module each: `values`, `numbers`, `texts`,
`numbering`, `branches`, `objects`, `lists`.
"""

from agent_gym.tool_mocker.mining.induction.inducer import Inducer

__all__ = ["Inducer"]
