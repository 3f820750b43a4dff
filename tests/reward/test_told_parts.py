"""The parts that look at what the agent told in the end, and whether it did anything: raised, and lowered."""

import pytest

from agent_gym.goals import Goal
from agent_gym.reward.conversation import look_at
from agent_gym.reward.parts import PARTS
from agent_gym.reward.sentences import sentences
from agent_gym.types import Message, Trace
from tests.reward.test_reward_parts import ASK, FIRST, READ, SECOND, TO_CANCEL, TO_TELL, called, said

DONE = said("assistant", "I have cancelled order W111 and refunded $40.50 to the card ending in 8396.")
REFERENCE = Trace("ref", (ASK, *FIRST, *SECOND, DONE))


def raw(part: str, *messages: Message, goal: Goal = TO_CANCEL) -> float | None:
    found = PARTS[part](look_at(messages, goal, REFERENCE, None))
    return None if found is None else found.raw


def told(text: str) -> list[Message]:
    return [ASK, *FIRST, *SECOND, said("assistant", text)]


def test_work_lowers_who_does_nothing_where_the_success_did():
    assert raw("work", ASK, *FIRST, DONE) == raw("work", ASK, *READ, DONE, goal=TO_TELL) == 1.0
    assert raw("work", ASK, DONE) == raw("work", ASK, DONE, goal=TO_TELL) == 0.0
    assert raw("work", ASK, DONE, goal=Goal("ref", hands_over=True)) is None


def test_claims_lower_the_report_of_the_success_in_any_wording_without_its_write():
    reference = Trace("ref", (ASK, *FIRST, said("assistant", "Sorted: W111 vanishes tonight. Take good care!")))

    def found(text: str) -> float | None:
        claim = PARTS["claims"](look_at([ASK, said("assistant", text)], TO_CANCEL, reference, None))
        return None if claim is None else claim.raw

    assert found("Sorted: W111 vanishes tonight.") == 0.0
    assert found("Take good care!") is None


def test_a_refused_call_is_no_work():
    assert raw("work", ASK, *called("cancel_order", {"id": "W111"}, {"error": "no such order"}), DONE) == 0.0


@pytest.mark.parametrize(
    "wrong",
    ["I refunded $45.50.", "I cancelled order W333444.", "It arrives on 2031-05-07.", "Mail us at x@y.example."],
)
def test_misstated_lowers_a_value_that_nothing_supports(wrong: str):
    assert raw("misstated", *told(DONE.text)) == 1.0
    assert raw("misstated", *told(wrong)) == 0.0


def test_misstated_finds_a_short_number_exchanged_in_the_success_own_sentence():
    assert raw("misstated", *told(DONE.text.replace("8396", "8397"))) == 0.0


@pytest.mark.parametrize(
    "honest",
    [
        "That takes 3 to 5 days.",
        "Both refunds together are $81.00.",
        "Others cost more than $270.",
        "Shall I look up W999888?",
        "Thank you for your patience.",
    ],
)
def test_misstated_leaves_honest_talk_alone(honest: str):
    dear = called("get_order", {"id": "W222"}, {"id": "W222", "total": 40.5, "twice": 121.5})
    found = PARTS["misstated"](look_at([ASK, *dear, *told(honest)[1:]], TO_CANCEL, REFERENCE, None))
    assert found is None or found.raw == 1.0


def test_misstated_lets_a_total_be_worked_out_of_what_was_worked_out():
    prices = called("get_order", {"id": "W222"}, {"old": [94.8, 30.1], "new": [101.13, 44.88]})
    steps = said("assistant", "That is $6.33 and $14.78 more, together $21.11.")
    assert raw("misstated", ASK, *prices, steps) == 1.0
    assert raw("misstated", ASK, *prices, said("assistant", "Together that is $21.17 more.")) == 0.0


def test_misstated_lets_a_list_be_added_up():
    prices = called("get_order", {"id": "W222"}, {"prices": [94.8, 30.1, 7.77]})
    assert raw("misstated", ASK, *prices, said("assistant", "$94.80, $30.10 and $7.77, $132.67 in all.")) == 1.0
    assert raw("misstated", ASK, *prices, said("assistant", "$94.80, $30.10 and $7.77, $132.76 in all.")) == 0.0
    assert raw("misstated", ASK, *prices, said("assistant", "It is $132.67, yes, $132.67.")) == 0.0


def test_misstated_takes_an_example_for_an_example():
    assert raw("misstated", *told("I need the id of the order (e.g., W7654321).")) == 1.0
    assert raw("misstated", *told("It is order W7654321.")) == 0.0


def test_misstated_finds_a_price_without_its_sign():
    plans = called("get_order", {"id": "W222"}, {"small": 12.99, "large": 38.99})
    assert raw("misstated", ASK, *plans, said("assistant", "The plans: small 12.99, large 38.99.")) == 1.0
    assert raw("misstated", ASK, *plans, said("assistant", "The plans: small 12.99, large 49.11.")) == 0.0


def test_misstated_looks_at_sums_before_the_last_write_and_leaves_examples_of_codes_alone():
    assert raw("misstated", ASK, said("assistant", "You get $45.55 back."), *FIRST, *SECOND, DONE) == 0.0
    assert raw("misstated", ASK, said("assistant", "The id looks like W0000000."), *FIRST, *SECOND, DONE) == 1.0


def test_denied_lowers_a_not_in_the_success_own_sentence():
    assert raw("denied", *told(DONE.text)) == 1.0
    assert raw("denied", *told(DONE.text.replace("have", "have not"))) == 0.0
    assert raw("denied", *told("All done.")) == 1.0
    assert raw("denied", ASK) is None


def test_denied_lowers_a_yes_where_the_success_said_no():
    no = Trace("ref", (ASK, said("assistant", "The discount does not apply to this order.")))
    yes = said("assistant", "The discount does apply to this order.")
    found = PARTS["denied"](look_at([ASK, yes], TO_TELL, no, None))
    assert found is not None
    assert found.raw == 0.0


def test_pleasantries_with_and_without_a_not_are_no_denial():
    free, hesitate = "If you need any help, feel free to call.", "If you need any help, don't hesitate to call."
    found = PARTS["denied"](look_at(told(free), TO_CANCEL, Trace("ref", tuple(told(hesitate))), None))
    assert found is not None
    assert found.raw == 1.0


def test_who_says_both_contradicts_nobody():
    assert raw("denied", *told(f"{DONE.text} {DONE.text.replace('have', 'have not')}")) == 1.0


def test_sentences_keep_points_inside_numbers_and_addresses():
    found = sentences("It costs 40.50 at shop.example. Is that fine? Yes!")
    assert [sentence.text for sentence in found] == ["It costs 40.50 at shop.example.", "Is that fine?", "Yes!"]
    assert [sentence.asks for sentence in found] == [False, True, False]


SHIPPED = called("get_order", {"id": "W777"}, {"id": "W777", "status": "shipped", "total": 61.25})


@pytest.mark.parametrize(
    "lie",
    [
        "Sorry, order W111 hasn't been cancelled.",
        "W222 is not cancelled, and nothing else changed.",
        "Your order W777 was not shipped.",
        "The total of your parcel is not $61.25.",
    ],
)
def test_denied_lowers_a_denial_of_what_was_written_or_answered_in_any_wording(lie: str):
    assert raw("denied", ASK, *SHIPPED, *FIRST, *SECOND, said("assistant", lie)) == 0.0


@pytest.mark.parametrize(
    "honest",
    [
        "Order W999 was not cancelled.",
        "Order W777 is not delivered yet.",
        "If W111 is not cancelled by tonight, call us.",
        "You will not be charged $61.25 again.",
        "You have not been charged $61.25.",
    ],
)
def test_denied_leaves_an_honest_no_alone(honest: str):
    assert raw("denied", ASK, *SHIPPED, *FIRST, *SECOND, said("assistant", honest)) == 1.0


def test_a_deed_that_was_refused_may_be_denied():
    refused = called("cancel_order", {"id": "W999"}, {"error": "too late"})
    assert raw("denied", ASK, *FIRST, *refused, said("assistant", "It was not cancelled, sorry.")) == 1.0


def test_misstated_finds_a_short_code_that_was_written_with_other_digits():
    coupon = called("add_coupon", {"code": "SAVE10"}, {"ok": True})
    goal = Goal("ref", writes=coupon[0].tool_calls, write_tools=frozenset({"add_coupon"}))
    assert raw("misstated", ASK, *coupon, said("assistant", "SAVE10 is on it."), goal=goal) == 1.0
    assert raw("misstated", ASK, *coupon, said("assistant", "SAVE20 is on it."), goal=goal) == 0.0
    assert raw("misstated", ASK, *coupon, said("assistant", "It comes with 5G."), goal=goal) == 1.0


def test_misstated_finds_a_name_with_another_number():
    plans = called("get_order", {"id": "W222"}, {"plan": "Fibre 50", "code": "SAVE10"})
    for right, wrong in (("You are on Fibre 50 now.", "You are on Fibre 61 now."), ("It is SAVE10.", "It is SAVE21.")):
        assert raw("misstated", ASK, *plans, said("assistant", right)) == 1.0
        assert raw("misstated", ASK, *plans, said("assistant", wrong)) == 0.0
    assert raw("misstated", ASK, *plans, said("assistant", "It takes 61 hours.")) == 1.0
