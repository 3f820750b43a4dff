"""Traces in, traces out in which nobody can be recognised, and everything else still fits together.

First pass: `Gathering.add` every trace, then `known()`. Second pass: `Redactor(known, key).trace` on every trace.
Then `left_over` looks at what is to be written once more.
"""

from agent_gym.trace_parser.redact.gather import Gathering, NameFinder
from agent_gym.trace_parser.redact.kinds import KINDS, Kind
from agent_gym.trace_parser.redact.known import Known
from agent_gym.trace_parser.redact.presidio import presidio_names
from agent_gym.trace_parser.redact.redactor import Redactor
from agent_gym.trace_parser.redact.scan import left_over

__all__ = ["KINDS", "Gathering", "Kind", "Known", "NameFinder", "Redactor", "left_over", "presidio_names"]
