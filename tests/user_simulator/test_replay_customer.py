"""The replay customer says what was said."""

from agent_gym.types import Message, Trace
from agent_gym.user_simulator.replay import ReplayCustomer

MESSAGES = (
    Message("assistant", "Welcome!"),
    Message("user", "My kettle leaks."),
    Message("assistant", "Which model is it?"),
    Message("user", "The K-20."),
    Message("user", "Bought last year."),
    Message("assistant", "We will send you a new one."),
    Message("user", "Thanks."),
)
TRACE = Trace("kettle", MESSAGES)


def test_the_recorded_turns_come_in_order_and_the_last_is_final():
    customer = ReplayCustomer(TRACE)
    assert customer.open().text == "My kettle leaks."
    assert customer.reply(MESSAGES[:3]) == Message("user", "The K-20.\nBought last year.")
    assert customer.reply(MESSAGES[:6]) == Message("user", "Thanks.", final=True)


def test_the_last_turn_is_not_final_if_the_agent_went_on():
    customer = ReplayCustomer(Trace("kettle", (*MESSAGES, Message("assistant", "Goodbye!"))))
    assert customer.reply(MESSAGES[:6]) == Message("user", "Thanks.")
    assert customer.reply([*MESSAGES, Message("assistant", "Goodbye!")]) is None


def test_the_recorded_path_is_no_deviation():
    customer = ReplayCustomer(TRACE)
    customer.reply(MESSAGES[:3])
    customer.reply(MESSAGES[:6])
    assert not customer.off_path


def test_an_agent_who_leaves_the_path_is_flagged_from_then_on_but_not_in_a_fork():
    customer = ReplayCustomer(TRACE)
    copy = customer.fork()
    customer.reply([*MESSAGES[:2], Message("assistant", "Your subscription ends tomorrow.")])
    customer.reply(MESSAGES[:6])
    assert customer.off_path
    assert not copy.off_path
    assert customer.fork().off_path
