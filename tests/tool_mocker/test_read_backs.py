"""Reads of what a session itself made: answered by what the write was told, and by nothing else."""

from tests.tool_mocker.builders import Call, mocker


def booked(n: int) -> list[Call]:
    """A conversation that books a visit and looks at it."""
    told = {"patient": f"patient {n}", "day": f"2031-04-{n + 10}"}
    made = f"V-{n * 7 + 300}"
    return [
        ("book_visit", told, {"visit_id": made, "status": "booked"}),
        ("get_visit_note", {"visit": made}, {"who": told["patient"], "when": told["day"], "kind": "visit"}),
    ]


TOOLS = mocker(*(booked(n) for n in range(5)))
NEW = {"patient": "Zoe", "day": "2031-05-30"}


def test_what_a_session_made_is_read_back_as_it_was_told():
    session = TOOLS.session()
    made = session("book_visit", NEW)["visit_id"]
    answer = session.call("get_visit_note", {"visit": made})
    assert answer.result == {"who": "Zoe", "when": "2031-05-30", "kind": "visit"}
    assert answer.source == "state"


def test_what_another_session_made_cannot_be_read_back():
    made = TOOLS.session()("book_visit", NEW)["visit_id"]
    assert TOOLS.session()("get_visit_note", {"visit": made})["who"] != "Zoe"


def test_a_rule_needs_more_than_two_examples():
    assert mocker(booked(0), booked(1)).world.tools["get_visit_note"].read_backs == ()


def test_a_read_back_is_explained_in_words():
    told = TOOLS.explain("get_visit_note").words()
    assert "asked for the visit_id that book_visit gave, answers {who: argument.patient" in told
