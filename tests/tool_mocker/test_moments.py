"""Moments: each recorded call with what its conversation knew when it was made."""

from agent_gym.tool_mocker.evidence import Moment, find_evidence
from agent_gym.tool_mocker.log import recorded_calls
from tests.tool_mocker.builders import Call, conversation, order

TALK: list[Call] = [
    ("get", {"order_id": "A1"}, order("A1")),
    ("close", {"order_id": "A1"}, order("A1", "closed")),
    ("close", {"order_id": "A1"}, ValueError("Error: it is closed")),
]
BEFORE: list[Call] = [("get", {"order_id": key}, order(key, note="from before")) for key in ("A1", "C1")]


def moments() -> list[Moment]:
    talks = [recorded_calls(conversation(name, calls)) for name, calls in (("t", TALK), ("before", BEFORE))]
    return list(find_evidence(talks, {}, {"t": 0, "before": 1}).moments[0])


def test_a_record_is_known_as_it_was_last_seen_before_the_call():
    assert [moment.context.record["status"] for moment in moments()] == ["open", "open", "closed"]


def test_what_the_conversation_has_not_seen_is_as_it_was_before_anybody_wrote():
    assert all(moment.context.record["note"] == "from before" for moment in moments())
    assert moments()[0].context.named("order", "B1") is None


def test_the_tools_that_have_answered_are_known_and_errors_are_no_answers():
    assert [sorted(moment.context.done) for moment in moments()] == [[], ["get"], ["close", "get"]]
    assert [moment.error for moment in moments()] == [None, None, "Error: it is closed"]


def test_an_error_shows_no_records():
    assert [len(moment.shown) for moment in moments()] == [1, 1, 0]
