"""Customers who want something else, too: brought up after thanks, insisted on, or wanted instead."""

from agent_gym.goals import Goal
from agent_gym.types import Message, ToolCall, Trace
from agent_gym.user_simulator.agenda import AgendaCustomer
from agent_gym.user_simulator.mining import mine_profile
from agent_gym.user_simulator.profile import CustomerProfile

OPENER = "Please book a slot for my dog at the groomer."
BOOKED = "I've booked the slot. Is there anything else?"
SECOND = "Cool, thank you. There's one more thing. My cat lost her collar."
TALK = (
    OPENER,
    "What is the dog's name?",
    "It's Bruno.",
    BOOKED,
    SECOND,
    "A new collar is on its way. Anything else?",
    "ok its all good",
    "Goodbye!",
)
COLLAR = ToolCall("send_collar", {"pet": "cat"})
GOAL = Goal("pets", writes=(COLLAR,), write_tools=frozenset({"send_collar"}))


def in_turn(*texts: str) -> tuple[Message, ...]:
    """The customer speaks first."""
    return tuple(Message("assistant" if at % 2 else "user", text) for at, text in enumerate(texts))


def profile(*texts: str) -> CustomerProfile:
    return mine_profile(Trace("pets", in_turn(*texts)))


def said(*turns: str, talk: tuple[str, ...] = TALK, goal: Goal | None = GOAL) -> Message | None:
    return AgendaCustomer(profile(*talk), goal).reply(in_turn(*turns))


def test_what_follows_thanks_is_a_wish_and_no_farewell():
    mined = profile(*TALK)
    assert [request.text for request in mined.requests] == [SECOND]
    assert not mined.spoken[2].closing
    reply = said(OPENER, BOOKED)
    assert reply is not None and reply.text == SECOND


def test_thanks_with_small_talk_at_the_end_are_a_farewell():
    mined = profile(OPENER, BOOKED, "Brilliant, thanks! Quicker than the vet across the street.")
    assert not mined.requests and mined.spoken[-1].closing


def test_it_insists_on_the_wish_that_came_last_and_then_on_the_other():
    done = "All of that has been seen to. Anything else?"
    checked = said(OPENER, BOOKED, SECOND, done)
    assert checked is not None
    first = said(OPENER, BOOKED, SECOND, done, checked.text, "Yes, it has been done. Anything else?")
    assert first is not None and "cat lost her collar" in first.text
    assert "thank you" not in first.text and "dog" not in first.text
    before = (OPENER, BOOKED, SECOND, done, checked.text, "Yes, it has been done. Anything else?", first.text)
    second = said(*before, "That was completed as well. Anything else?")
    assert second is not None and "dog" in second.text


def test_words_to_a_refusal_that_is_repeated_are_about_the_same_thing():
    refusal = "I'm sorry, but we can't book a groomer on Sundays. Anything else?"
    again = "As I said, we can't book a groomer on Sundays, sorry."
    objected = "That makes little sense. Another shop nearby does it."
    assert not profile(OPENER, refusal, objected, again, "Fine.").requests
    other = "Then my cat's collar: it is lost."
    assert profile(OPENER, refusal, other, "A new collar is on its way.", "Fine.").requests


def test_last_words_are_followed_by_a_goodbye():
    assert said(OPENER, BOOKED, SECOND, "A new collar is on its way. Anything else?", TALK[6], "Goodbye!") is None


def test_a_change_of_mind_comes_before_the_yes():
    changed = "Wait, Tuesday instead."
    talk = (
        OPENER,
        "I can book Monday for you. Shall I go ahead?",
        changed,
        "Then Tuesday it is. Shall I go ahead?",
        "Yes, please.",
        "Booked.",
    )
    for put in ("Then Monday it is. Shall I go ahead?", "May I reserve slot 7 at the groomer, is that okay?"):
        reply = said(OPENER, put, talk=talk, goal=None)
        assert reply is not None and reply.text == changed
    later = said(OPENER, talk[1], changed, "So Tuesday, is that right?", talk=talk, goal=None)
    assert later is not None and later.text.startswith("Yes")
