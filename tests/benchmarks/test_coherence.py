"""What counts as a contradiction within a session, and what only looks like one."""

import pytest

from agent_gym.types import Json
from benchmarks.coherence import Told, contradictions

ORDER = {"order_id": "O-17", "status": "open", "total": 30.0}
PAID = {**ORDER, "status": "paid"}
ASKED = {"order": "O-17"}


def read(result: Json, arguments: Json = ASKED, *, is_error: bool = False) -> Told:
    return Told(arguments, result, is_error, writes=False)


def write(result: Json = None, *, is_error: bool = False) -> Told:
    return Told(ASKED, result, is_error, writes=True)


def last(*session: Told) -> bool | None:
    return contradictions(session)[-1]


def test_a_record_that_is_another_than_before_is_a_contradiction():
    assert contradictions([read(ORDER), read(PAID)]) == [None, True]
    assert last(read({"orders": [ORDER]}), read([PAID], {})) is True


def test_a_record_told_again_is_none_however_it_is_written():
    again = {"total": 30, "status": "open", "order_id": "O-17"}
    assert last(read(ORDER), read(again)) is False
    assert last(read(PAID), read(ORDER), read(PAID)) is False


def test_a_part_of_a_record_is_held_against_the_whole():
    assert last(read(ORDER), read({"order_id": "O-17", "total": 31.0})) is True
    assert last(read(ORDER), read({"order_id": "O-17", "total": 30.0})) is False


def test_after_a_successful_write_everything_may_be_new():
    assert contradictions([read(ORDER), write(PAID), read(PAID)]) == [None, None, False]
    assert last(read(ORDER), write(), read(PAID)) is None


def test_a_refused_write_changes_nothing():
    assert last(read(ORDER), write({"error": "no"}, is_error=True), read(PAID)) is True


def test_what_a_write_told_is_held_against_later_reads():
    assert last(write(PAID), read(ORDER)) is True


@pytest.mark.parametrize(
    ("before", "now", "arguments"),
    [
        (ORDER, {**ORDER, "order_id": "O-18"}, ASKED),
        ([{"order_id": "O-1", "user": "u7", "total": 1}], [{"order_id": "O-2", "user": "u7", "total": 2}], {"u": "u7"}),
        ({"user": "u7", "name": "Ann", "status": "active"}, {"user": "u7", "leave": 3, "status": "taken"}, {"u": "u7"}),
        ({"type": "Mobile", "number": "1"}, {"type": "Mobile", "number": "2"}, {}),
        ({"ok": True, "n": 1}, {"ok": True, "n": 2}, {}),
        ("O-17 is open", "O-17 is paid", ASKED),
        ({"on": "2025-08-26", "v": "0.4", "by": "Ann"}, {"on": "2025-08-26", "v": "0.5", "by": "Bo"}, {"v": "0.5"}),
    ],
    ids=[
        "another id",
        "two orders of a user",
        "a user and a leave",
        "a word",
        "a truth value",
        "texts",
        "another call",
    ],
)
def test_other_records_are_no_contradiction(before: Json, now: Json, arguments: Json):
    assert last(read(before, arguments), read(now, arguments)) is None


def test_an_error_shows_no_record():
    assert last(read(ORDER, is_error=True), read(PAID)) is None
    assert last(read(ORDER), read(PAID, is_error=True)) is None
