"""The spans of one conversation key in, whole conversations out: the only place that puts logged calls together."""

from agent_gym.trace_parser.stitch.calls import read_calls
from agent_gym.trace_parser.stitch.span import Span
from agent_gym.trace_parser.stitch.threads import Stitched, stitched

__all__ = ["Span", "Stitched", "read_calls", "stitched"]
