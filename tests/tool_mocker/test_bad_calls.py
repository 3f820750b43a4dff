"""Calls that no tool could answer are answers the agent can learn from, never exceptions."""

from dataclasses import replace

import pytest

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import SOURCES, Json
from tests.tool_mocker.builders import cancelled, conversation, mocker, order

TOOLS = mocker(cancelled("O1"), cancelled("O2"), cancelled("O3"))


def test_an_unknown_tool_is_answered_with_the_nearest_name():
    answer = TOOLS.session().call("get_ordr", {"order_id": "O1"})
    assert answer.is_error and answer.source == "invalid" and "get_order" in answer.result["error"]


def test_a_missing_argument_is_named_and_a_misspelt_one_recognised():
    answer = TOOLS.session().call("get_order", {"order_idd": "O1"})
    assert (
        answer.source == "invalid" and "'order_id'" in answer.result["error"] and "order_idd" in answer.result["error"]
    )


def test_an_argument_of_the_wrong_type_is_refused_where_the_log_declares_its_type():
    trace = replace(conversation("t", cancelled("O1")), tools=TOOLS.tools)
    answer = ToolMocker.fit(Corpus([trace])).session().call("get_order", {"order_id": ["O1"]})
    assert answer.source == "invalid" and "string" in answer.result["error"]
    assert TOOLS.session().call("get_order", {"order_id": ["O1"]}).source != "invalid"  # nobody says what it takes


@pytest.mark.parametrize(
    "arguments", [None, [], "O1", 7, {"order_id": "x" * 1_000_000}, {"__proto__": 1, "order_id": "O9"}]
)
def test_any_arguments_get_an_answer(arguments):
    session = TOOLS.session()
    assert session.call("get_order", arguments).source in SOURCES
    assert session("get_order", {"order_id": "O1"})["status"] == "open"


def nested(levels: int) -> Json:
    value: Json = "O1"
    for level in range(levels):
        value = {"inner": value} if level % 2 else [value]
    return value


@pytest.mark.parametrize("levels", [91, 301, 50_001])
def test_deeply_nested_arguments_get_an_answer(levels):
    echo = mocker(*([("echo", {"x": value}, {"x": value})] for value in (0, [1], 2, [3], 4, [5], 6, [7]))).session()
    answer = echo.call("echo", {"x": nested(levels)})
    assert answer.source == "invalid" if levels > 100 else answer.result == {"x": nested(levels)}
    assert TOOLS.session().call("get_order", {"order_id": nested(levels)}).source in SOURCES
    assert echo.call("echo", {"x": 3, "more": nested(levels)}).source in SOURCES


@pytest.mark.parametrize("arguments", [{"order_id": "O1", "colour": 1}, {"order_id": "O1", "__proto__": {"a": 1}}])
def test_arguments_nobody_ever_gave_change_nothing_of_the_answer(arguments):
    assert TOOLS.session()("get_order", arguments) == order("O1")


@pytest.mark.parametrize(
    "odd", ["\ud800", "\x00", 2**100, float("nan"), b"O1", {1, 2}, object()], ids=lambda odd: type(odd).__name__
)
def test_values_that_are_hardly_json_get_an_answer(odd):
    text = mocker([("get", {"k": f"K{n}"}, f'{{"k": "K{n}", "v": {n}}}') for n in range(4)]).session()
    assert TOOLS.session().call("get_order", {"order_id": odd}).source in SOURCES
    assert text.call("get", {"k": "K1", "odd": odd}).source in SOURCES
    assert text.call("get", {"k": odd}).source in SOURCES


STRICT = mocker(
    *(cancelled(f"O{n}") for n in range(3)),
    [("cancel_order", {"order_id": "O7"}, ValueError("TypeError: missing 1 required argument: 'reason'"))],
    [("get_order", {"order_id": 12345}, ValueError("order_id must be text, not 12345"))],
    [("get_order", {}, ValueError("the service is down"))],
    [("get_order", {"order_id": "O2"}, ValueError("the service is down"))],
)


def test_a_missing_argument_is_refused_as_the_tool_itself_did():
    answer = STRICT.session().call("cancel_order", {"order_id": "O1"})
    assert answer.result == "TypeError: missing 1 required argument: 'reason'"
    assert (answer.source, answer.is_error, answer.evidence) == ("invalid", True, ("t3",))


def test_a_wrong_type_is_refused_as_the_tool_itself_did_with_this_calls_value():
    assert STRICT.session()("get_order", {"order_id": 99999}) == "order_id must be text, not 99999"


def test_an_error_that_does_not_speak_of_the_argument_is_no_complaint_about_it():
    assert "'order_id'" in STRICT.session()("get_order", {"verbose": True})["error"]
