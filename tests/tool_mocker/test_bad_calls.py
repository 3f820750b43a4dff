"""Calls that no tool could answer are answers the agent can learn from, never exceptions."""

import pytest

from agent_gym.types import SOURCES
from tests.tool_mocker.builders import cancelled, mocker

TOOLS = mocker(cancelled("O1"), cancelled("O2"), cancelled("O3"))


def test_an_unknown_tool_is_answered_with_the_nearest_name():
    answer = TOOLS.session().call("get_ordr", {"order_id": "O1"})
    assert answer.is_error and answer.source == "invalid" and "get_order" in answer.result["error"]


def test_a_missing_argument_is_named_and_a_misspelt_one_recognised():
    answer = TOOLS.session().call("get_order", {"order_idd": "O1"})
    assert (
        answer.source == "invalid" and "'order_id'" in answer.result["error"] and "order_idd" in answer.result["error"]
    )


def test_an_argument_of_the_wrong_type_is_refused():
    answer = TOOLS.session().call("get_order", {"order_id": ["O1"]})
    assert answer.source == "invalid" and "string" in answer.result["error"]


@pytest.mark.parametrize(
    "arguments", [None, [], "O1", 7, {"order_id": "x" * 1_000_000}, {"__proto__": 1, "order_id": "O9"}]
)
def test_any_arguments_get_an_answer(arguments):
    session = TOOLS.session()
    assert session.call("get_order", arguments).source in SOURCES
    assert session("get_order", {"order_id": "O1"})["status"] == "open"


def test_deeply_nested_arguments_get_an_answer():
    nested: object = "O1"
    for _ in range(300):
        nested = {"inner": nested}
    assert TOOLS.session().call("get_order", {"order_id": nested}).is_error


def test_a_call_that_fits_no_recorded_set_of_arguments_is_refused_with_the_ways_there_are():
    find = [("find", {"email": f"a{n}@x.example"}, {"n": n}) for n in range(3)]
    find += [("find", {"name": f"Ann {n}", "zip": str(n)}, {"n": n}) for n in range(3)]
    answer = mocker(find).session().call("find", {"name": "Ann 1"})
    assert answer.source == "invalid" and "email, or name and zip" in answer.result["error"]
