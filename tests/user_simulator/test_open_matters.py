"""What a customer came for and the agent passes over; what it agrees to; replies that are written as JSON."""

import json

import pytest

from agent_gym.goals import Goal
from agent_gym.types import Message, ToolCall, Trace
from agent_gym.user_simulator.acts import read_turn
from agent_gym.user_simulator.agenda import AgendaCustomer
from agent_gym.user_simulator.mining import mine_profile
from agent_gym.user_simulator.replies import answers_no, answers_yes

OPENER = "Please move my berth to pier 4. I'd also like the sauna key for locker 19."
TALK = (
    OPENER,
    "I can move your berth to pier 4 for a fee of $30. Shall I go ahead?",
    "In that case no, I won't pay $30 for it.",
    "Fine, nothing is moved. The sauna key of locker 19 is ready for you. Anything else?",
    "No, that's all, bye.",
)
KEY = ToolCall("hand_out_key", {"locker": 19})
GOAL = Goal("boat", writes=(KEY,), write_tools=frozenset({"hand_out_key"}))


def in_turn(*texts: str) -> tuple[Message, ...]:
    """The customer speaks first."""
    return tuple(Message("assistant" if at % 2 else "user", text) for at, text in enumerate(texts))


def customer(seed: int = 0, goal: Goal | None = GOAL) -> AgendaCustomer:
    return AgendaCustomer(mine_profile(Trace("boat", in_turn(*TALK))), goal, seed)


def said(*turns: str, goal: Goal | None = GOAL) -> Message:
    reply = customer(goal=goal).reply(in_turn(OPENER, *turns))
    assert reply is not None
    return reply


def test_what_the_agent_passed_over_is_brought_up_again():
    reply = said("Your berth has been moved to pier 4. Anything else?")
    assert "sauna key for locker 19" in reply.text
    assert "berth" not in reply.text
    assert not reply.final


def test_it_is_brought_up_once():
    done = "Your berth has been moved to pier 4. Anything else?"
    first = said(done).text
    assert "sauna key" not in said(done, first, "As I said, that has been moved. Anything else?").text


def test_a_fee_it_declined_is_declined_in_other_words_too():
    assert answers_no(said("There is a charge of $30 if we relocate you. Is that okay?").text)


def test_a_no_to_a_price_is_no_no_without_it():
    assert answers_yes(said("I can move your berth to pier 4 free of charge. Is that okay?").text)


def test_what_its_conversation_never_was_about_is_declined():
    assert answers_no(said("You want to sell your canoe and engine, correct?").text)


def test_what_it_never_decided_on_it_agrees_to_unless_it_declined_all():
    free = mine_profile(Trace("free", (Message("user", OPENER), Message("assistant", "Welcome aboard."))))
    put = [Message("user", OPENER), Message("assistant", "I'll note pier 4 for the boat. Is that right?")]
    agreed = AgendaCustomer(free).reply(put)
    assert agreed is not None and answers_yes(agreed.text)


@pytest.mark.parametrize("text", ["In that case no, thanks.", "Hm, no.", "Well, nope", "Oh, actually no"])
def test_a_no_may_come_after_a_word_or_two(text):
    assert answers_no(text)


def test_no_problem_is_not_a_no():
    assert not answers_no("No problem, I'll wait.")


def test_a_reply_written_as_json_is_read_by_its_texts():
    written = json.dumps({"message": "Your key has been issued.\nAnything else?", "code": 7})
    assert read_turn(written).acts == {"claims_done", "closes"}
    assert read_turn(json.dumps({"say": ["Reply with 'yes' to proceed."]})).acts == {"confirms"}


def test_json_without_end_is_read_and_survived():
    assert read_turn("[" * 900 + "]" * 900).acts == {"unclear"}


@pytest.mark.parametrize(
    "text", ["One moment, please.", "Let me check that for you.", "I'm looking into it.", "Hold on."]
)
def test_a_moments_wait_is_no_information(text):
    assert read_turn(text).acts == {"holds"}


def test_thanks_for_a_moments_work_are_no_farewell():
    reply = said("One moment, please.", "Okay, thank you.", "You're welcome! Goodbye!")
    assert not reply.final
