"""The tools' schemas: inferred from calls, or the traces' own; valid wherever they are sent to."""

import json
import re
from dataclasses import replace

import jsonschema
import pytest
from google.genai import types as gemini
from openai.types.chat import ChatCompletionFunctionToolParam
from pydantic import TypeAdapter

from agent_gym.corpus import Corpus
from agent_gym.errors import OptionError
from agent_gym.sample import TOOLS, generate
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import by_tool, recorded_calls
from agent_gym.tool_mocker.schemas import function_schema, value_schema
from agent_gym.types import Json, Message, Trace
from tests.tool_mocker.builders import Call, conversation, mocker

# Arguments of every kind that is inferred: choices, formats, maps, nested objects, several types, none at all.
ALL_KINDS: list[Call] = [
    (
        "book",
        {
            "when": f"2026-03-{n + 10}",
            "at": f"2026-03-{n + 10}T09:30:00Z",
            "mail": f"ann{n}@mail.example",
            "page": f"https://shop.example/{n}",
            "class": "eco" if n % 2 else "first",
            "seat": n if n % 2 else f"{n}A",
            "note": None if n % 2 else "window",
            "counts": {f"A{n}0": n},
            "guest": {"name": f"Ann {n}", "tags": ["vip"]},
        },
        {"booking_id": f"B{n}", "lines": {f"L{n}": {"price": n + 0.5}}},
    )
    for n in range(8)
]
ALL_KINDS += [("ping", {}, "pong"), ("book", {}, RuntimeError("Error: no seats left"))]
BUSY = mocker(ALL_KINDS)


def parameters(tool: str = "book") -> Json:
    return next(t["function"]["parameters"] for t in BUSY.tools if t["function"]["name"] == tool)


def valid(value: Json, schema: Json) -> bool:
    jsonschema.Draft202012Validator.check_schema(schema)
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return bool(jsonschema.Draft202012Validator(schema, format_checker=checker).is_valid(value))


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


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("when", {"type": "string", "format": "date"}),
        ("at", {"type": "string", "format": "date-time"}),
        ("mail", {"type": "string", "format": "email"}),
        ("page", {"type": "string", "format": "uri"}),
        ("class", {"type": "string", "enum": ["eco", "first"]}),
        ("seat", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ("counts", {"type": "object", "additionalProperties": {"type": "integer"}}),
    ],
)
def test_an_argument_has_the_schema_that_its_values_have(name, schema):
    assert parameters()["properties"][name] == schema


@pytest.mark.parametrize(
    "texts",
    [
        ["2026-01-01", "2026-01-02"],
        ["2026-01-01", "2026-02-30", "2026-01-03"],
        ["2026-01-01T10:00:00", "2026-01-02T10:00:00", "2026-01-03T10:00:00"],
        ["a@b.example", "c@d.example", "nobody"],
    ],
    ids=["too few", "no such day", "no offset", "one is not"],
)
def test_a_format_needs_support_and_no_exception(texts):
    assert value_schema(texts) == {"type": "string"}


def test_fields_with_a_digit_in_their_name_are_no_map():
    rows = [{"line1": f"{n} Main Street", "line2": "back door"} for n in range(4)]
    assert value_schema(rows)["required"] == ["line1", "line2"]


def test_a_map_stays_one_though_its_ids_repeat():
    assert value_schema([{"USR001": ["hi"], "USR002": []}] * 3)["additionalProperties"]["type"] == "array"


def test_nesting_ends_where_nobody_looks_any_more():
    nested: Json = "deep"
    for _ in range(5000):
        nested = {"inner": [nested]}
    assert json.dumps(value_schema([nested])).count("inner") < 50


@pytest.mark.parametrize("log", [ALL_KINDS, None], ids=["all kinds", "the sample business"])
def test_inferred_schemas_accept_every_recorded_call_and_result(log):
    traces = [conversation.trace for conversation in generate(0, 40)] if log is None else []
    calls = [call for trace in traces for call in recorded_calls(trace)] or recorded_calls(BUSY._corpus["t0"])
    tools = ToolMocker.fit(Corpus(traces)) if traces else BUSY
    for name, rows in by_tool(calls).items():
        schema = function_schema(name, [row.arguments for row in rows if not row.is_error] or [{}])
        assert all(valid(row.arguments, schema["function"]["parameters"]) for row in rows if not row.is_error)
        assert all(valid(row.raw, tools.result_schema(name)[row.is_error]) for row in rows)


def test_successes_and_errors_have_schemas_of_their_own():
    found = BUSY.result_schema("book")
    assert found.success["required"] == ["booking_id", "lines"] and "properties" in found.success
    assert found.success["properties"]["lines"]["additionalProperties"]["required"] == ["price"]
    assert found.error == {"type": "string"} and BUSY.result_schema("ping").error == {}


def test_results_kept_as_text_say_what_the_text_holds():
    schema = mocker([("get", {"n": n}, f'{{"n": {n}}}') for n in range(3)]).result_schema("get").success
    assert schema["contentMediaType"] == "application/json" and valid('{"n": 7}', schema)
    assert schema["contentSchema"]["properties"] == {"n": {"type": "integer"}}


def test_asking_for_the_results_of_an_unknown_tool_names_the_known_ones():
    with pytest.raises(OptionError, match="book"):
        BUSY.result_schema("boook")


@pytest.mark.parametrize("tools", [BUSY.tools, tuple(TOOLS)], ids=["inferred", "declared"])
def test_the_tools_are_functions_to_openai(tools):
    for tool in tools:
        TypeAdapter(ChatCompletionFunctionToolParam).validate_python(tool)
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["function"]["name"])
        assert tool["function"]["parameters"]["type"] == "object" and tool["function"]["description"]


@pytest.mark.parametrize("tools", [BUSY.tools, tuple(TOOLS)], ids=["inferred", "declared"])
def test_the_tools_are_function_declarations_to_gemini(tools):
    for tool in tools:
        declared = {name: tool["function"][name] for name in ("name", "description")}
        schema = gemini.JSONSchema.model_validate(tool["function"]["parameters"])
        gemini.Schema.from_json_schema(json_schema=schema, raise_error_on_unsupported_field=True)
        gemini.FunctionDeclaration(**declared, parameters_json_schema=tool["function"]["parameters"])
        gemini.FunctionDeclaration(**declared, parameters=tool["function"]["parameters"])


def test_an_argument_of_several_types_may_be_any_of_them_and_no_other():
    calls: list[Call] = [("at", {"seat": n if n % 2 else f"{n}A"}, n) for n in range(6)]
    declared = replace(conversation("t", calls), tools=mocker(calls).tools)
    session = ToolMocker.fit(Corpus([declared])).session()
    assert [session.call("at", {"seat": seat}).source == "invalid" for seat in (9, "9A", [9])] == [False, False, True]


def test_the_traces_own_schemas_are_taken_as_they_are():
    trace = Trace("t", (Message("user", "hi"), Message("assistant", "hello")), tools=tuple(TOOLS))
    assert [tool["function"]["name"] for tool in ToolMocker.fit(Corpus([trace])).tools] == sorted(
        tool["function"]["name"] for tool in TOOLS
    )
