"""What supports a value: a record of messages, and the success that many are held against."""

from agent_gym.reward.success import Success
from agent_gym.reward.support import Record
from agent_gym.text import values_in
from agent_gym.types import Message, Trace

SHOWN = Record([Message("tool", result={"price": 1240.5, "seat": "14C"}), Message("user", "I paid $1,300.00.")])


def test_a_number_is_shown_only_where_it_is_no_piece_of_another():
    assert SHOWN.shows("1240.5")
    assert not SHOWN.shows("240.5")


def test_a_record_holds_a_number_in_any_spelling():
    same, other = values_in("that is $1,240.50"), values_in("that is $1,240.60")
    assert SHOWN.holds(same[0])
    assert not SHOWN.holds(other[0])


def test_a_record_counts_in_hundredths():
    assert {124_050, 130_000} <= SHOWN.cents


def test_a_success_knows_what_anybody_said_in_it():
    success = Success(Trace("a", (Message("user", "Is AB-12345 late?"), Message("assistant", "Yes, until 17:30."))))
    assert {"ab-12345", "17:30"} <= success.norms
    assert [one.text for one in success.sentences] == ["Is AB-12345 late?", "Yes, until 17:30."]
    assert success.replies == ["Yes, until 17:30."]
