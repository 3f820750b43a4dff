"""How an agent's turn is read."""

import pytest

from agent_gym.user_simulator.acts import read_turn


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("What is your account id?", "asks"),
        ("Please provide the booking reference.", "asks"),
        ("To proceed with the change, I need your booking reference.", "asks"),
        ("Can you confirm your zip code?", "asks"),
        ("Can you confirm the code is 10115?", "confirms"),
        ("You leave on Monday at nine. Is that right?", "confirms"),
        ("Please reply \"yes\" to go on.", "confirms"),
        ("Would you like a window seat?", "offers"),
        ("Would you like me to transfer you to a human agent?", "offers"),
        ("I'm transferring you to a specialist.", "hands_over"),
        ("Your booking has been changed.", "claims_done"),
        ("Done, it is cancelled.", "claims_done"),
        ("I'm unable to change it, the train has left.", "refuses"),
        ("Is there anything else I can help you with?", "closes"),
        ("How can I help you today?", "invites"),
        ("Hello!", "greets"),
        ("The train leaves at nine.", "informs"),
        ("…", "unclear"),
        ("", "unclear"),
        ("Wie lautet Ihre Buchungsnummer?", "asks"),
    ],
)  # fmt: skip
def test_a_turn_is_read_for_what_it_does(text, act):
    assert act in read_turn(text).acts


@pytest.mark.parametrize(
    "text",
    [
        "I have found your booking.",
        "Your booking has not been changed.",
        "Once it has been changed, you get a mail.",
        "I will change your booking.",
        "Shall I change your booking?",
    ],
)
def test_what_is_not_done_is_not_read_as_done(text):
    assert "claims_done" not in read_turn(text).acts


def test_a_question_tells_which_value_it_is_for():
    turn = read_turn("What is the email address of your account?")
    assert turn.kinds == {"email"}
    assert "account" in turn.slots
