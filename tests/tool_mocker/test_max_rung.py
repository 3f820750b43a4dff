"""How far down the ladder a session may go: the caller's choice, from strict replay to a made-up answer."""

import pytest

from agent_gym.errors import OptionError
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.session import BY_SURETY
from tests.tool_mocker.builders import busy_shop, cancelled, mocker, order

CANCEL = {"order_id": "R1", "reason": "reason R1"}  # recorded, but nobody looked at the order afterwards


@pytest.fixture(scope="module")
def shop() -> ToolMocker:
    return busy_shop(cancelled("R1"), [("get_order", {"order_id": "P1"}, order("P1"))])


def test_strict_replay_answers_what_was_recorded_and_nothing_else(shop):
    session = shop.session(max_rung="recorded")
    assert session.call("get_order", {"order_id": "O1"}).source == "recorded"
    unseen = session.call("get_order", {"order_id": "Q"})
    assert (unseen.source, unseen.is_error) == ("unknown", True)
    assert session.call("cancel_order", {"order_id": "P1", "reason": "late"}).source == "unknown"


def test_strict_replay_still_refuses_an_invalid_call(shop):
    session = shop.session(max_rung="recorded")
    assert session.call("get_ordr", {"order_id": "O1"}).source == "invalid"
    assert session.call("get_order", {}).source == "invalid"


def test_strict_replay_never_shows_a_record_as_it_was_before_a_write(shop):
    session = shop.session(max_rung="recorded")
    assert session.call("cancel_order", CANCEL).source == "recorded"
    assert session.call("get_order", {"order_id": "R1"}).source == "unknown"
    assert session.call("get_order", {"order_id": "O2"}).source == "recorded"


def test_a_strict_session_replays_its_anchor_after_a_write_too():
    calls = [*cancelled("O1"), ("get_order", {"order_id": "O1"}, order("O1", "cancelled", reason="reason O1"))]
    session = mocker(calls, cancelled("O2")).session("t0", max_rung="recorded")
    session("cancel_order", {"order_id": "O1", "reason": "reason O1"})
    assert session("get_order", {"order_id": "O1"})["status"] == "cancelled"


def test_one_rung_more_brings_its_answers_and_no_others(shop):
    session = shop.session(max_rung="state")
    session("cancel_order", CANCEL)
    assert session.call("get_order", {"order_id": "R1"}).source == "state"
    assert session.call("cancel_order", {"order_id": "P1", "reason": "late"}).source == "unknown"
    assert shop.session(max_rung="effect").call("cancel_order", {"order_id": "P1", "reason": "late"}).source == "effect"


@pytest.mark.parametrize("max_rung", BY_SURETY[:-1])
def test_no_answer_comes_from_beyond_the_last_rung_allowed(shop, max_rung):
    allowed = {*BY_SURETY[: BY_SURETY.index(max_rung) + 1], "invalid", "unknown"}
    session = shop.session(max_rung=max_rung)
    for key in ("O1", "P1", "Q", "new"):
        for name, arguments in (("get_order", {}), ("cancel_order", {"reason": "why"}), ("get_order", {})):
            assert session.call(name, {"order_id": key, **arguments}).source in allowed


def test_by_default_the_neighbour_is_the_last_to_answer(shop):
    assert shop.session().call("get_order", {"order_id": "Q"}).source == "neighbour"
    assert shop.session(max_rung="not_found").call("get_order", {"order_id": "Q"}).source == "unknown"


def test_a_fork_keeps_the_last_rung(shop):
    assert shop.session(max_rung="recorded").fork().call("get_order", {"order_id": "Q"}).source == "unknown"


def test_an_unknown_rung_is_named_with_the_nearest_one(shop):
    with pytest.raises(OptionError, match="did you mean 'neighbour'"):
        shop.session(max_rung="neighbor")
    with pytest.raises(OptionError, match="needs a model"):
        shop.session(max_rung="llm")
