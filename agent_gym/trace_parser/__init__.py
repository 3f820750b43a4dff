"""Trace files and dicts in, frozen traces out; whatever cannot be read is kept with its place and reason."""

from agent_gym.trace_parser.envelope import MAX_DOCUMENT, MAX_RECORD
from agent_gym.trace_parser.formats import FORMATS, Draft, Format, Group, Item, format_names
from agent_gym.trace_parser.read import Parsed, TraceSource, parse, read_traces, stream
from agent_gym.trace_parser.reading import Notice, Reading
from agent_gym.trace_parser.repairs import REPAIRS, Reject
from agent_gym.trace_parser.source import read_source

__all__ = [
    "FORMATS",
    "MAX_DOCUMENT",
    "MAX_RECORD",
    "REPAIRS",
    "Draft",
    "Format",
    "Group",
    "Item",
    "Notice",
    "Parsed",
    "Reading",
    "Reject",
    "TraceSource",
    "format_names",
    "parse",
    "read_source",
    "read_traces",
    "stream",
]
