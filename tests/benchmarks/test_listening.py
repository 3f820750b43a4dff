"""The sample business's customers as readers: how they take an agent's plain words."""

import pytest

from agent_gym.sample import Case, cases
from agent_gym.sample.backend import Answer
from agent_gym.sample.chance import seeded
from agent_gym.sample.customers import Customer
from agent_gym.sample.talk import Said
from agent_gym.types import ToolCall
from benchmarks.listening import Done, Listener

MOODS = range(40)


@pytest.fixture(scope="module")
def day() -> list[Case]:
    return cases(0, 640)


def of(day: list[Case], kind: str, variant: str) -> Case:
    """The first customer who calls for this alone."""
    return next(c for c in day if [(r.kind, r.variant) for r in c.requests] == [(kind, variant)])


def listener(case: Case, mood: int = 0) -> Listener:
    return Listener(case, case.backend(), Customer(case, seeded("mood", mood)))


def hears(case: Case, text: str, *, done: Done = (), late: bool = False, mood: int = 0) -> Said:
    return listener(case, mood).hear(text, done, late=late)


def test_a_proposal_of_what_was_asked_for_is_confirmed(day):
    case = of(day, "upgrade", "named")
    assert hears(case, f"I can move you to {case.requests[0].spoken['plan']}. Shall I go ahead?").answer is True


def test_a_proposal_with_a_wrong_value_is_contradicted_with_the_right_one(day):
    case = of(day, "upgrade", "named")
    said = hears(case, "I can move you to Fibre Giga. Shall I go ahead?")
    assert said.answer is False and case.requests[0].spoken["plan"] in said.text


@pytest.mark.parametrize(
    ("kind", "variant", "proposal", "right"),
    [
        ("contact", "email", "So I change it to: somebody.else@postbox.example. Is that right?", "new_email"),
        ("lost_device", "fee", "I'd send you a new device for your Pocket 60. OK?", "service"),
    ],
)
def test_any_wrong_value_is_put_right(day, kind, variant, proposal, right):
    case = of(day, kind, variant)
    said = hears(case, proposal)
    assert said.answer is False and str(case.requests[0].details[right]) in said.text.lower()


def test_a_proposal_of_what_nobody_asked_for_is_turned_down_and_the_request_made_again(day):
    said = hears(of(day, "coupon", "valid"), "Shall I cancel everything you have with us?")
    assert said.answer is False and set(said.details) == {0}


def test_an_answer_to_another_question_settles_nothing_and_the_request_is_made_again(day):
    heard = listener(of(day, "move", "served"))
    said = heard.hear("I see no known outage in your area at the moment. Is there anything else?", (), late=False)
    assert said.answer is False and set(said.details) == {0} and said.leaving is None
    assert not heard.settled


def test_who_is_answered_beside_the_point_again_and_again_gives_up(day):
    heard = listener(of(day, "move", "served"))
    said = [heard.hear("I see no known outage in your area at the moment.", (), late=False) for _ in range(20)]
    assert said[0].leaving is None and said[-1].leaving == "gave_up"


def test_a_hand_over_settles_any_wish(day):
    heard = listener(of(day, "move", "served"))
    heard.hear("I'm handing you over to a colleague from the general team.", (), late=False)
    assert heard.settled == {0}


def test_who_wants_it_for_nothing_says_no_to_the_fee_and_who_is_firm_says_yes(day):
    told = "That costs an early termination fee of $60.00. Shall I cancel it anyway?"
    answers = [hears(of(day, "cancel", variant), told).answer for variant in ("fee_declined", "fee")]
    assert answers == [False, True]


def test_some_accept_a_refusal_and_some_press(day):
    case = of(day, "coupon", "expired")
    heard = [hears(case, "I'm sorry, that coupon has expired and can't be used.", mood=mood) for mood in MOODS]
    assert {said.argues for said in heard} == {True, False}
    assert all((said.leaving is None) == said.argues for said in heard)


def test_some_who_have_pressed_in_vain_ask_for_a_human(day):
    refusal = "I'm sorry, that coupon has expired and can't be used."
    listeners = [listener(of(day, "coupon", "expired"), mood) for mood in MOODS]
    pressed = [each for each in listeners if each.hear(refusal, (), late=False).argues]
    assert {each.hear(refusal, (), late=False).wants_human for each in pressed} == {True, False}


def test_the_right_fact_settles_a_question(day):
    case = of(day, "term_question", "date")
    heard = listener(case)
    said = heard.hear(f"It ends on {case.requests[0].facts[0][0]}.", (), late=False)
    assert (heard.settled, said.leaving) == ({0}, "content")


@pytest.mark.parametrize("text", ["One moment, please.", "Is there anything else I can help you with today?"])
def test_words_that_tell_nothing_settle_nothing_and_who_stays_asks_again(day, text):
    listeners = [listener(of(day, "term_question", "date"), mood) for mood in MOODS]
    stayed = [said for each in listeners if (said := each.hear(text, (), late=False)).leaving is None]
    assert not any(each.settled for each in listeners)
    assert len(stayed) > len(MOODS) / 2 and all(said.raised == (0,) for said in stayed)


def test_what_is_asked_for_is_told(day):
    case = of(day, "cancel", "free")
    said = hears(case, "Could you give me your account number and your date of birth, please?")
    assert said.told["date_of_birth"] == case.knows["date_of_birth"] and said.leaving is None


def test_a_wrong_deed_is_noticed_by_some_on_their_next_bill(day):
    case = of(day, "upgrade", "named")
    done = [(ToolCall("change_plan", {"plan_id": "NET-1000"}), Answer({}, is_error=False))]
    heard = [hears(case, "All set, your new plan starts with the next bill.", done=done, mood=n) for n in MOODS]
    assert {said.answer for said in heard} == {False, None}
    assert all((said.leaving is None) == (said.answer is False) for said in heard)


def test_a_restart_that_does_not_help_is_told(day):
    done = [(ToolCall("restart_device", {}), Answer({}, is_error=False))]
    told = "I have restarted your router, so you should be online again."
    works = hears(of(day, "fault", "restart"), told, done=done)
    broken = hears(of(day, "fault", "replace"), told, done=done)
    assert (works.leaving, broken.leaving, broken.raised) == ("content", None, (0,))


def test_the_second_wish_comes_when_the_first_is_settled(day):
    case = next(c for c in day if c.raised == 1 and len(c.requests) == 2 and c.requests[0].kind == "term_question")
    heard = listener(case)
    said = heard.hear(f"It ends on {case.requests[0].facts[0][0]}.", (), late=False)
    assert said.raised == (1,) and heard.settled == {0} and heard.raised == [0, 1]


def test_the_late_customer_leaves_content_only_with_an_answer(day):
    case = of(day, "term_question", "date")
    asked = hears(case, "Could you give me your account number, please?", late=True)
    told = hears(case, f"It ends on {case.requests[0].facts[0][0]}.", late=True)
    assert (asked.leaving, told.leaving) == ("rushed", "content")
