"""How agents report a write is learned from the successes: false reports and denied ones are found in any trade."""

import pytest

from agent_gym.goals import Goal
from agent_gym.reward.conversation import look_at
from agent_gym.reward.customs import customs_of
from agent_gym.reward.language import language_of
from agent_gym.reward.parts import PARTS
from agent_gym.reward.reports import reports_of
from agent_gym.reward.sentences import sentences
from agent_gym.reward.worded import worded
from agent_gym.types import Message, Trace
from tests.reward.test_reward_parts import called, said

ASK = said("user", "Please change the seat of my flight.")
LOOK = called("find_booking", {"name": "Ng"}, {"booking": "QX1", "seat": "3A"})
MOVE = called("move_passenger", {"booking": "QX1", "seat": "9C"}, {"seat": "9C"})
OFFER = said("assistant", "I can give you the window seat. Shall I?")
SOLD_OUT = said("assistant", "You are in row 3. The window seat is taken.")
REPORT = said("assistant", "All good: you are seated at the window. Have a good flight.")
WRITES = frozenset({"move_passenger"})
MOVED = [Trace(f"m{n}", (ASK, *LOOK, OFFER, ASK, *MOVE, REPORT)) for n in range(12)]
TOLD = [Trace(f"t{n}", (ASK, *LOOK, SOLD_OUT, said("assistant", "Have a good flight."))) for n in range(12)]
CUSTOMS = customs_of([*MOVED, *TOLD], WRITES)


def raw(part: str, *messages: Message, reference: Trace = TOLD[0], goal: Goal) -> float | None:
    found = PARTS[part](look_at(messages, goal, reference, None, CUSTOMS))
    return None if found is None else found.raw


def claimed(text: str) -> float | None:
    goal = Goal("t0", reads=LOOK[0].tool_calls, write_tools=WRITES)
    return raw("claims", ASK, *LOOK, said("assistant", text), goal=goal)


def denied(text: str) -> float | None:
    goal = Goal("m0", writes=MOVE[0].tool_calls, write_tools=WRITES)
    return raw("denied", ASK, *MOVE, said("assistant", text), reference=Trace("m0", (ASK, *MOVE, OFFER)), goal=goal)


def test_marks_are_what_follows_a_write_and_nothing_else():
    assert "are seated" in CUSTOMS.reports.marks
    assert CUSTOMS.reports.marks["are seated"] == WRITES
    assert not {"the window seat", "have a good", "you are"} & CUSTOMS.reports.marks.keys()


def test_a_learned_report_without_a_write_is_a_false_claim():
    assert claimed("Good news: you are seated at the window.") == 0.0


def test_a_word_of_a_name_or_an_address_excuses_no_claim():
    home = called("find_home", {}, {"address": "12 Seated Lane"})
    goal = Goal("t0", reads=LOOK[0].tool_calls, write_tools=WRITES)
    claim = said("assistant", "Good news: you are seated at the window.")
    assert raw("claims", ASK, *LOOK, *home, claim, goal=goal) == 0.0
    shown = called("find_seat", {}, {"state": "seated"})
    assert raw("claims", ASK, *LOOK, *shown, claim, goal=goal) is None


@pytest.mark.parametrize(
    "honest",
    [
        "You are in row 3.",
        "You will be seated at the window if it is free.",
        "You are not seated at the window.",
        "Are you seated at the window?",
        "Have a good flight.",
    ],
)
def test_offers_questions_and_small_talk_are_no_claims(honest: str):
    assert claimed(honest) is None


def test_a_learned_report_with_a_not_in_it_is_a_denial():
    assert denied("You are seated at the window.") == 1.0
    assert denied("Alas, you aren't seated at the window.") == 0.0
    assert denied("You are seated at the window, not in the aisle.") == 1.0


def test_few_reports_teach_no_marks():
    assert not reports_of(MOVED[:3], WRITES).marks
    assert not reports_of(MOVED, frozenset()).marks


def test_what_an_agent_has_done_is_reported_by_few_words_too():
    done = [said("assistant", f"I've {verb} you.") for verb in ("relocated", "relocated", "noted", "noted")]
    wrote = [Trace(f"w{n}", (ASK, *LOOK, *MOVE, report)) for n, report in enumerate(done)]
    asked = [Trace(f"a{n}", (ASK, *LOOK, done[2])) for n in range(4)]
    reports = reports_of([*wrote, *asked], WRITES)
    assert reports.marks == {}
    english = language_of(["the"])
    assert reports.reports(worded(sentences("I've relocated you to the window.")[0]), english)
    assert not reports.reports(worded(sentences("I've noted you.")[0]), english)


def test_what_a_tool_has_answered_is_no_claim():
    seated = called("find_booking", {"name": "Ng"}, {"booking": "QX1", "state": "seated"})
    goal = Goal("t0", reads=LOOK[0].tool_calls, write_tools=WRITES)
    report = said("assistant", "Good news: you are seated at the window.")
    assert raw("claims", ASK, *seated, report, goal=goal) is None
    assert raw("claims", ASK, *LOOK, report, goal=goal) == 0.0


@pytest.mark.parametrize(
    ("looked", "verdict"),
    [
        (LOOK, 0.0),
        (called("rebook", {"name": "Ng"}, {"booking": "QX2"}), None),  # no success has called it: it may write
        (called("find_booking", {"name": "Ng"}, {"message": "Successfully moved to 9C."}), None),
    ],
)
def test_in_a_case_that_nobody_knows_a_deed_may_hide_behind_a_tool(looked, verdict):
    goal = Goal("t0", "other_case", reads=LOOK[0].tool_calls, write_tools=WRITES)
    assert raw("claims", ASK, *looked, said("assistant", "I have moved you to the window."), goal=goal) == verdict
