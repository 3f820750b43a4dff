"""Conversations with made-up people, in several trades and tongues, and how to redact them."""

from collections.abc import Iterable, Mapping

from agent_gym.trace_parser.redact import Gathering, Redactor
from agent_gym.types import Json, Message, ToolCall, Trace

KEY = b"a key for tests only"


def asked(
    words: str, arguments: Mapping[str, Json], result: Json, tool: str = "find_person", name: str = "c1"
) -> Trace:
    """A customer says something, a tool is called and answers."""
    call = ToolCall(tool, arguments, "call_1")
    messages = (
        Message("user", words),
        Message("assistant", tool_calls=(call,)),
        Message("tool", name=tool, tool_call_id="call_1", result=result),
    )
    return Trace(name, messages, outcome="resolved")


def said(words: str, name: str = "c1") -> Trace:
    return Trace(name, (Message("user", words), Message("assistant", "Thank you.")))


def redactor(traces: Iterable[Trace], key: bytes = KEY) -> Redactor:
    gathering = Gathering()
    for trace in traces:
        gathering.add(trace)
    return Redactor(gathering.known(), key)


def redacted(*traces: Trace, key: bytes = KEY) -> list[Trace]:
    made = redactor(traces, key)
    return [made.trace(trace) for trace in traces]


def words_of(trace: Trace) -> str:
    return trace.messages[0].text


def arguments_of(trace: Trace) -> Mapping[str, Json]:
    return trace.messages[1].tool_calls[0].arguments


def result_of(trace: Trace) -> Json:
    return trace.messages[2].result
