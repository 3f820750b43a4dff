"""The form of answers: lists of one object, JSON kept as text, and state that rests on a guess."""

import json

import pytest

from tests.tool_mocker.builders import Call, busy_shop, cancelled, conversation, mocker, order


def listed(key: str) -> list[Call]:
    """The shop of `cancelled`, by tools that put their one object into a list."""
    return [(tool, arguments, [result]) for tool, arguments, result in cancelled(key)]


def test_tools_that_wrap_their_object_in_a_list_are_seen_through_and_answer_in_a_list():
    tools = mocker(*(listed(f"O{n}") for n in range(12)), [("get_order", {"order_id": "P"}, [order("P")])])
    session = tools.session()
    made = session.call("cancel_order", {"order_id": "P", "reason": "late"})
    assert made.result == [order("P", "cancelled", reason="late")] and made.source == "effect"
    assert session("get_order", {"order_id": "P"})[0]["status"] == "cancelled"
    assert session.world.changes()["order", "P", "status"] == "cancelled"


@pytest.mark.parametrize("told", [[order("O1"), order("O2")], ["one word"], []])
def test_a_list_of_anything_but_one_object_is_not_seen_through(told):
    assert not mocker([("list_orders", {"user": f"u{n}"}, told) for n in range(4)]).world.forms["list_orders"].listed


def test_json_that_logs_keep_as_text_is_answered_as_text():
    talks = [[(tool, given, json.dumps(result)) for tool, given, result in cancelled(f"O{n}")] for n in range(4)]
    session = mocker(*talks).session()
    session("cancel_order", {"order_id": "O1", "reason": "reason O1"})
    told = session("get_order", {"order_id": "O1"})
    assert isinstance(told, str) and json.loads(told)["status"] == "cancelled"


def test_state_that_rests_on_a_guess_is_labelled_as_a_guess():
    session = busy_shop().session()
    assert session.call("cancel_order", {"order_id": "N", "reason": "late"}).source == "neighbour"
    assert session.call("get_order", {"order_id": "N"}).source == "neighbour"


def test_a_write_to_what_was_made_up_is_labelled_as_a_guess():
    session = busy_shop().session()
    assert session.call("get_order", {"order_id": "N"}).source == "neighbour"
    assert session.call("cancel_order", {"order_id": "N", "reason": "late"}).source == "neighbour"


def test_state_beside_a_guess_keeps_its_own_label():
    session = busy_shop().session()
    session("get_order", {"order_id": "O1"})
    session("cancel_order", {"order_id": "O1", "reason": "late"})
    session("cancel_order", {"order_id": "N", "reason": "late"})
    assert session.call("get_order", {"order_id": "O1"}).source == "state"


def test_a_tool_unknown_to_the_world_is_replayed_from_its_anchor_only():
    tools = mocker(cancelled("O1"), cancelled("O2"))
    session = tools.session(conversation("new", [("ring_bell", {"times": 2}, "ding ding")]))
    assert session("ring_bell", {"times": 2}) == "ding ding"
    assert session.call("ring_bell", {"times": 3}).source == "invalid"
