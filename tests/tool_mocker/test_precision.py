"""Confidence: the share of a rule's answers that were right on held-out cases, with doubt where few were checked."""

from collections.abc import Sequence

import pytest

from agent_gym.tool_mocker.log import recorded_calls
from agent_gym.tool_mocker.precision import Checked, Earned, Outcome, Precision
from agent_gym.tool_mocker.rules import RULES
from agent_gym.tool_mocker.validation import folds, validated
from tests.tool_mocker.builders import Call, cancelled, conversation, mocker


def checked(rule: str, right: int, wrong: int = 0, *, touched: bool = False) -> list[Outcome]:
    return [Outcome({rule: True}, touched)] * right + [Outcome({rule: False}, touched)] * wrong


def earned(rule: str, *, touched: bool = False, **outcomes: Sequence[Outcome]) -> Earned:
    """What a rule has earned on the tool a."""
    return Precision.of(outcomes, RULES).of_rule("a", rule, touched=touched)


OFTEN_RIGHT, NEVER_RIGHT = checked("query", 90, 10), checked("query", 0, 100)


def test_a_rule_that_was_often_checked_has_the_share_that_was_right():
    assert earned("query", a=OFTEN_RIGHT, b=NEVER_RIGHT).share == pytest.approx(0.9, abs=0.02)
    assert earned("query", a=NEVER_RIGHT, b=OFTEN_RIGHT).share == pytest.approx(0.0, abs=0.02)


def test_what_a_rule_did_on_other_tools_speaks_only_against_it():
    assert earned("query", b=NEVER_RIGHT).share == pytest.approx(0.05, abs=0.01)
    assert earned("query", b=checked("query", 100)) == (RULES["query"], False)


def test_a_rule_that_was_never_checked_has_its_prior():
    assert earned("effect", a=OFTEN_RIGHT).share == RULES["effect"]


def test_few_checks_move_confidence_less_than_many():
    few, many = (earned("refusal", a=checked("refusal", n)).share for n in (1, 50))
    assert RULES["refusal"] < few < many < 1


def test_a_rule_is_tried_after_one_that_answers_the_same_calls_right_more_often():
    both = [Outcome({"query": False, "neighbour": True}, False)] * 20
    known = Precision.of({"a": [*both, *checked("query", 5)]}, RULES)
    order = known.order("a")
    assert order.index("query") > order.index("neighbour")
    assert dict(known.validated("a"))["query"] == Checked(5, 5)  # only of what is left to it


def test_a_rule_that_nothing_betters_keeps_its_place():
    assert Precision.of({"a": OFTEN_RIGHT}, RULES).order("a") == tuple(RULES)


def test_a_rule_that_was_never_right_is_tried_last():
    assert Precision.of({"a": NEVER_RIGHT}, RULES).order("a")[-1] == "query"
    assert Precision.of({"a": NEVER_RIGHT[:4]}, RULES).order("a") == tuple(RULES)  # it may have been chance


def test_a_label_is_earned_by_answers_that_were_right():
    assert not earned("query", a=OFTEN_RIGHT).is_sure
    assert earned("query", a=checked("query", 30)).is_sure


def test_a_few_answers_earn_a_label_only_if_all_are_right():
    assert earned("query", a=checked("query", 5), b=NEVER_RIGHT).is_sure
    assert not earned("query", a=checked("query", 4), b=NEVER_RIGHT).is_sure
    assert not earned("query", a=checked("query", 5, 1), b=NEVER_RIGHT).is_sure


def test_what_is_earned_where_nothing_was_done_is_not_earned_where_the_answer_depends_on_it():
    assert not earned("query", touched=True, a=checked("query", 30)).is_sure
    assert earned("query", touched=True, a=checked("query", 30, touched=True)).is_sure


def test_each_conversation_is_in_one_part_whatever_the_order():
    talks = [recorded_calls(conversation(f"t{n}", cancelled(f"O{n}"))) for n in range(30)]
    parts, again = folds(talks, None), folds(talks[::-1], None)
    assert sum(map(len, parts)) == 30 and min(map(len, parts)) > 1
    assert [{calls[0].conversation_id for calls in part} for part in parts] == [
        {calls[0].conversation_id for calls in part} for part in again
    ]


def test_all_conversations_of_a_case_are_in_one_part():
    talks = [recorded_calls(conversation(f"t{n}", cancelled(f"O{n}"))) for n in range(30)]
    parts = folds(talks, {f"t{n}": n // 10 for n in range(30)})
    assert sum(map(bool, parts)) <= 3


def test_validation_asks_a_world_that_has_not_seen_the_calls():
    talks = [recorded_calls(conversation(f"t{n}", cancelled(f"O{n}"))) for n in range(30)]
    found = validated(talks)
    assert "recorded" not in dict(found.validated("get_order"))
    assert dict(found.validated("cancel_order"))["effect"] == Checked(30, 30)


def test_an_answer_states_the_confidence_that_its_rule_has_earned():
    sums: list[list[Call]] = [[("calculate", {"expression": f"{n} + 1"}, str(n + 1))] for n in range(40)]
    tools = mocker(*sums)
    answer = tools.session().call("calculate", {"expression": "100 + 1"})
    assert answer.source == "function"
    assert answer.confidence == tools.world.precision.of_rule("calculate", "function", touched=False).share > 0.95


def test_of_a_single_conversation_what_was_recorded_is_known():
    tools = mocker([("get_order", {"order_id": "O1"}, {"order_id": "O1", "status": "open"})])
    answer = tools.session().call("get_order", {"order_id": "O1"})
    assert (answer.source, answer.result["status"]) == ("recorded", "open")
