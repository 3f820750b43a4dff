"""Moments: each recorded call with what its conversation knew when it was made."""

from agent_gym.tool_mocker.mining.moments import Moment, moments_of
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.recorded import recorded_calls
from agent_gym.tool_mocker.sites import Site
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, conversation, order

START: dict[tuple[str, str], dict[str, Json]] = {("order", "A"): order("A", note="from before")}
TALK: list[Call] = [
    ("get", {"order_id": "A"}, order("A")),
    ("close", {"order_id": "A"}, order("A", "closed")),
    ("close", {"order_id": "A"}, ValueError("Error: it is closed")),
]


def moments() -> list[Moment]:
    sites = {(tool, ""): Site("order", "order_id", None) for tool in ("get", "close")}
    subjects = {tool: Subject("order_id", "order") for tool in ("get", "close")}
    return list(moments_of(recorded_calls(conversation("t", TALK)), sites, subjects, START))


def test_a_record_is_known_as_it_was_last_seen_before_the_call():
    assert [moment.context.record["status"] for moment in moments()] == ["open", "open", "closed"]


def test_what_the_conversation_has_not_seen_is_as_it_was_before_anybody_wrote():
    assert all(moment.context.record["note"] == "from before" for moment in moments())
    assert moments()[0].context.named("order", "B") is None


def test_the_tools_that_have_answered_are_known_and_errors_are_no_answers():
    assert [sorted(moment.context.done) for moment in moments()] == [[], ["get"], ["close", "get"]]
    assert [moment.error for moment in moments()] == [None, None, "Error: it is closed"]


def test_an_error_shows_no_records():
    assert [len(moment.shown) for moment in moments()] == [1, 1, 0]
