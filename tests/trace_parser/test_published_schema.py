"""The published JSON Schema and the reader agree on what a trace is."""

import json
from itertools import islice
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from pydantic_core import ValidationError

from agent_gym.trace_parser.schema import strict_trace

CHECKOUT = Path(__file__).resolve().parents[2]
SCHEMA = Draft202012Validator(json.loads((CHECKOUT / "docs" / "trace.schema.json").read_text("utf-8")))
HELLO = {"role": "user", "content": "Hello"}
CALL = {"role": "assistant", "tool_calls": [{"name": "look", "arguments": {}}]}
WRONG = {
    "no id": {"messages": [HELLO]},
    "an empty id": {"conversation_id": "", "messages": [HELLO]},
    "no messages": {"conversation_id": "a"},
    "an unknown field": {"conversation_id": "a", "messages": [], "rating": 3},
    "a role nobody has": {"conversation_id": "a", "messages": [{"role": "agent"}]},
    "a field of another role": {"conversation_id": "a", "messages": [HELLO | {"is_error": True}]},
    "arguments as text": {
        "conversation_id": "a",
        "messages": [{"role": "assistant", "tool_calls": [{"name": "x", "arguments": "{}"}]}],
    },
    "a call without a name": {
        "conversation_id": "a",
        "messages": [{"role": "assistant", "tool_calls": [{"arguments": {}}]}],
    },
    "a rating in words": {"conversation_id": "a", "messages": [], "satisfaction_score": "good"},
    "metadata as a list": {"conversation_id": "a", "messages": [], "metadata": []},
}


def test_the_sample_log_is_of_the_published_schema():
    with (CHECKOUT / "data" / "processed" / "conversations.jsonl").open(encoding="utf-8") as lines:
        for line in islice(lines, 40):
            SCHEMA.validate(json.loads(line))


def test_what_the_reader_takes_strictly_the_schema_takes():
    record = {
        "conversation_id": "a",
        "messages": [HELLO, CALL],
        "outcome": None,
        "satisfaction_score": 4,
        "metadata": {"x": 1},
    }
    assert strict_trace(record).conversation_id == "a"
    assert SCHEMA.is_valid(record)


@pytest.mark.parametrize("record", WRONG.values(), ids=WRONG)
def test_what_the_reader_refuses_the_schema_refuses(record):
    assert not SCHEMA.is_valid(record)
    with pytest.raises(ValidationError):
        strict_trace(record)
