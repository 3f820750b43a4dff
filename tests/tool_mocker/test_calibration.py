"""Confidence: the share of such answers that were right on held-out calls, with doubt where few were checked."""

import pytest

from agent_gym.tool_mocker.calibration import Calibration, Checked
from agent_gym.tool_mocker.recorded import recorded_calls
from agent_gym.tool_mocker.validation import halves, validated
from tests.tool_mocker.builders import Call, cancelled, conversation, mocker

MEASURED = Calibration.of({("a", "query"): Checked(90, 100), ("b", "query"): Checked(0, 100)})


def test_a_kind_that_was_often_checked_has_the_share_that_was_right():
    assert MEASURED.confidence("a", "query") == pytest.approx(0.9, abs=0.02)
    assert MEASURED.confidence("b", "query") == pytest.approx(0.0, abs=0.02)


def test_a_tool_that_was_never_checked_has_the_share_over_all_tools():
    assert MEASURED.confidence("c", "query") == pytest.approx(0.45, abs=0.01)


def test_a_kind_that_was_never_checked_is_an_even_chance():
    assert MEASURED.confidence("a", "effect") == 0.5


def test_few_checks_move_confidence_less_than_many():
    few, many = (Calibration.of({("a", "rule"): Checked(n, n)}).confidence("a", "rule") for n in (1, 50))
    assert 0.5 < few < many < 1


def test_each_conversation_is_in_one_half_whatever_the_order():
    talks = [recorded_calls(conversation(f"t{n}", cancelled(f"O{n}"))) for n in range(30)]
    left, right = halves(talks)
    again = halves(talks[::-1])
    assert len(left) + len(right) == 30 and min(len(left), len(right)) > 5
    assert {calls[0].conversation_id for calls in again[0]} == {calls[0].conversation_id for calls in left}


def test_validation_asks_a_world_that_has_not_seen_the_calls():
    talks = [recorded_calls(conversation(f"t{n}", cancelled(f"O{n}"))) for n in range(30)]
    found = validated(talks).by_tool
    assert {(tool, source, checked.asked) for (tool, source), checked in found.items()} == {
        ("cancel_order", "neighbour", 30),
        ("get_order", "neighbour", 30),
    }


def test_an_answer_states_the_confidence_that_its_kind_has_earned():
    sums: list[list[Call]] = [[("calculate", {"expression": f"{n} + 1"}, str(n + 1))] for n in range(40)]
    tools = mocker(*sums)
    answer = tools.session().call("calculate", {"expression": "100 + 1"})
    assert answer.confidence == tools.world.calibration.confidence("calculate", "function") > 0.9
