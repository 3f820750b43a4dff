"""The tools' function schemas: inferred from calls, or the traces' own; valid JSON Schema either way."""

import jsonschema

from agent_gym.corpus import Corpus
from agent_gym.sample import TOOLS
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, Trace
from tests.tool_mocker.builders import mocker


def test_types_requirements_and_choices_are_inferred():
    calls = [
        (
            "book",
            {"seats": n, "class": "eco" if n % 2 else "first", "tags": ["a"]} | ({"note": "x"} if n > 2 else {}),
            n,
        )
        for n in range(8)
    ]
    (tool,) = mocker(calls).tools
    parameters = tool["function"]["parameters"]
    assert parameters["required"] == ["class", "seats", "tags"]
    assert parameters["properties"]["seats"] == {"type": "integer"}
    assert parameters["properties"]["class"]["enum"] == ["eco", "first"]
    assert parameters["properties"]["tags"] == {"type": "array", "items": {"type": "string"}}


def test_every_inferred_schema_is_valid_and_accepts_the_recorded_calls():
    calls = [("t", {"a": {"b": [1, 2.5]}, "c": None if n else "x", "d": True}, 1) for n in range(3)]
    (tool,) = mocker(calls).tools
    parameters = tool["function"]["parameters"]
    jsonschema.Draft202012Validator.check_schema(parameters)
    for _, arguments, _ in calls:
        jsonschema.validate(arguments, parameters, cls=jsonschema.Draft202012Validator)


def test_the_traces_own_schemas_are_taken_as_they_are():
    trace = Trace("t", (Message("user", "hi"), Message("assistant", "hello")), tools=tuple(TOOLS))
    assert [tool["function"]["name"] for tool in ToolMocker.fit(Corpus([trace])).tools] == sorted(
        tool["function"]["name"] for tool in TOOLS
    )
