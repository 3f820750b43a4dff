"""Trace files and dicts in, frozen traces out; whatever cannot be read is kept with its place and reason."""

from agent_gym.trace_parser.envelope import MAX_DOCUMENT, MAX_RECORD
from agent_gym.trace_parser.read import Reading, TraceSource, parse, read_traces, stream
from agent_gym.trace_parser.repairs import REPAIRS, Reject

__all__ = [
    "MAX_DOCUMENT",
    "MAX_RECORD",
    "REPAIRS",
    "Reading",
    "Reject",
    "TraceSource",
    "parse",
    "read_traces",
    "stream",
]
