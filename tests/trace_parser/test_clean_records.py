from dataclasses import FrozenInstanceError, fields

import pytest

from agent_gym.sample import generate
from agent_gym.trace_parser.formats.clean_trace import clean_trace
from agent_gym.trace_parser.nouns import new_call, new_message, new_trace
from agent_gym.trace_parser.schema import strict_trace
from agent_gym.types import Json, Message, ToolCall, Trace

RECORD: dict[str, Json] = {
    "conversation_id": "r1",
    "messages": [
        {"role": "user", "content": "Where is my bike?"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "name": "look", "arguments": {"bike": 7}}]},
        {"role": "tool", "name": "look", "tool_call_id": "c1", "result": None, "is_error": True},
    ],
    "outcome": None,
    "satisfaction_score": 0.5,
}


def test_a_clean_record_reads_as_the_strict_schema_reads_it():
    records = [RECORD, *(talk.trace.to_dict() for talk in generate(0, 20))]
    assert [clean_trace(record) for record in records] == [strict_trace(record) for record in records]


@pytest.mark.parametrize(
    ("at", "field", "value"),
    [
        (0, "content", None),
        (0, "content", "Bye ###STOP###"),
        (0, "role", "customer"),
        (0, "final", True),
        (1, "trainable", True),
        (1, "role", "user"),
        (1, "tool_calls", [{"id": "", "name": "look", "arguments": {}}]),
        (1, "tool_calls", [{"id": "c1", "name": "look", "arguments": "{}"}]),
        (1, "tool_calls", [{"id": "c1", "name": "look", "arguments": {}}] * 2),
        (2, "tool_call_id", "c2"),
        (2, "name", "find"),
        (2, "is_error", 1),
        (2, "content", "text"),
    ],
)
def test_a_message_that_needs_a_second_look_is_left_to_the_schema(at, field, value):
    messages = [dict(message) for message in RECORD["messages"]]
    messages[at][field] = value
    assert clean_trace({**RECORD, "messages": messages}) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("conversation_id", ""),
        ("outcome", 1),
        ("satisfaction_score", 1),
        ("tools", ["look"]),
        ("metadata", None),
        ("x", 1),
    ],
)
def test_a_record_that_needs_a_second_look_is_left_to_the_schema(field, value):
    assert clean_trace({**RECORD, field: value}) is None


@pytest.mark.parametrize(("made", "cls"), [(new_message, Message), (new_call, ToolCall), (new_trace, Trace)])
def test_a_noun_made_quickly_is_the_noun_itself(made, cls):
    values = [f"value of {field.name}" for field in fields(cls)]
    noun = made(*values)
    assert type(noun) is cls
    assert noun == cls(*values)
    with pytest.raises(FrozenInstanceError):
        setattr(noun, fields(cls)[0].name, "another")
