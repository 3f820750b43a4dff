"""Difficult customers: each knob does its one thing, by seed, and none is on by itself."""

import pytest

from agent_gym.errors import OptionError
from agent_gym.types import Message
from agent_gym.user_simulator import Noise
from agent_gym.user_simulator.agenda import AgendaCustomer
from tests.user_simulator.test_agenda_customer import GOAL, PROFILE, heard

ASKED = heard("Could you tell me your membership number?")


def said(messages: list[Message], seed: int = 0, **knobs: float) -> str:
    reply = AgendaCustomer(PROFILE, GOAL, seed, noise=Noise(**knobs)).reply(messages)
    assert reply is not None
    return reply.text


def test_a_withheld_fact_is_told_when_asked_again():
    first = said(ASKED, withhold=1.0)
    assert "MB-4471" not in first
    assert "MB-4471" in said([*ASKED, Message("user", first), ASKED[-1]], withhold=1.0)


def test_a_wrong_fact_is_put_right_at_the_next_turn():
    first = said(ASKED, wrong_fact=1.0)
    assert "MB-" in first and "MB-4471" not in first
    next_words = said(
        [*ASKED, Message("user", first), Message("assistant", "I find nobody by that number.")], wrong_fact=1.0
    )
    assert "MB-4471" in next_words and "wrong" in next_words


def test_typos_leave_what_can_be_checked():
    words = said(ASKED, typos=1.0)
    assert "MB-4471" in words
    again = said(heard("I'll end membership MB-4471 today. Is that correct?"), typos=1.0)
    assert again != said(heard("I'll end membership MB-4471 today. Is that correct?"))


def test_a_false_claim_is_made_once():
    asked = heard("I'll send the receipt to kira@example.org. Is that correct?")
    claimed = said(asked, false_claim=1.0)
    assert "already agreed" in claimed
    assert "already agreed" not in said([*asked, Message("user", claimed), asked[-1]], false_claim=1.0)


def test_an_impatient_customer_leaves_sooner():
    def turns(impatience: float) -> int:
        customer = AgendaCustomer(PROFILE, GOAL, noise=Noise(impatience=impatience))
        messages = [customer.open()]
        for turn in range(1, 20):
            messages.append(Message("assistant", "What is the serial code on the frame?"))
            reply = customer.reply(messages)
            assert reply is not None
            messages.append(reply)
            if reply.final:
                return turn
        return 20

    assert turns(1.0) < turns(0.0)


def test_without_noise_nothing_changes_and_a_fork_is_as_noisy():
    assert said(ASKED) == said(ASKED, typos=0.0)
    customer = AgendaCustomer(PROFILE, GOAL, noise=Noise(wrong_fact=1.0))
    assert customer.fork().reply(ASKED) == customer.reply(ASKED)


@pytest.mark.parametrize("value", [-0.1, 1.5, "often"])
def test_a_knob_that_is_no_chance_is_refused(value):
    with pytest.raises(OptionError, match="is not a chance"):
        Noise(typos=value)
