"""One decoded record in the trace schema, or nearly so, in; its trace out, or a `TraceError` that says why not."""

from pydantic_core import ValidationError

from agent_gym.trace_parser.decode import check_depth, may_be_deep
from agent_gym.trace_parser.repairs import Repairs
from agent_gym.trace_parser.schema import strict_trace, why_not
from agent_gym.trace_parser.settle import settled
from agent_gym.trace_parser.shape import shaped
from agent_gym.types import Json, Trace

__all__ = ["trace_of"]


def trace_of(record: Json, raw: bytes, notes: Repairs) -> Trace:
    deep = may_be_deep(raw)
    try:
        trace = strict_trace(record)
        if deep:
            check_depth(_nested(trace), notes)
    except ValidationError:
        if deep:
            check_depth(record, notes)
        trace = _reshaped(record, notes)
    return settled(trace, notes)


def _reshaped(record: Json, notes: Repairs) -> Trace:
    try:
        return strict_trace(shaped(record, notes))
    except ValidationError as error:
        raise notes.error(why_not(error), "compare the record with the trace schema") from None


def _nested(trace: Trace) -> Json:
    """All that the schema lets be of any depth; text is left out, however many brackets it holds."""
    results = [message.result for message in trace.messages if isinstance(message.result, list | dict)]
    arguments = [call.arguments for message in trace.messages for call in message.tool_calls]
    return [trace.metadata, trace.tools, results, arguments]
