"""Sums that a customer asks for and a success works out: told, another, none, or not asked for."""

import pytest

from agent_gym.corpus import Corpus
from agent_gym.reward import RewardFunction
from agent_gym.reward.sums import worked_out_in
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, Score, ToolCall, Trace

ASK = Message("user", "Please cancel berths B1 and B2. How much do I get back?")
DONE = "Both berths are cancelled."


def cancelled(berth: str, price: float, order: int) -> tuple[Message, ...]:
    call = ToolCall("cancel_berth", {"berth": berth}, f"c{order}")
    result = {"berth": berth, "status": "cancelled", "price": price}
    return (
        Message("assistant", tool_calls=(call,)),
        Message("tool", name="cancel_berth", tool_call_id=f"c{order}", result=result),
    )


def reckoned(result: str) -> tuple[Message, ...]:
    call = ToolCall("calculate", {"expression": "a sum"}, "sum")
    return Message("assistant", tool_calls=(call,)), Message(
        "tool", name="calculate", tool_call_id="sum", result=result
    )


WRITES = (*cancelled("B1", 20.25, 1), *cancelled("B2", 14.5, 2))
SUCCESS = (ASK, *WRITES, *reckoned("34.75"), Message("assistant", f"{DONE} You get back $34.75 in total."))


@pytest.fixture(scope="module")
def reward() -> RewardFunction:
    refused = Trace("f", (ASK, Message("assistant", "No.")), "unresolved")
    corpus = Corpus([Trace("s", SUCCESS, "resolved"), refused])
    return RewardFunction.fit(corpus, ToolMocker.fit(corpus))


def scored(reward: RewardFunction, *messages: Message) -> Score:
    return reward.score(messages, "s")


def test_a_sum_is_what_the_last_words_tell_and_no_record_shows():
    assert worked_out_in(SUCCESS, [SUCCESS[-1].text]) == {3475}
    assert not worked_out_in(SUCCESS, ["B1 was $20.25."])  # a tool has shown it
    plain = (Message("user", "Please cancel berths B1 and B2."), *SUCCESS[1:])
    assert not worked_out_in(plain, [SUCCESS[-1].text])


def test_the_same_sum_is_a_success_in_any_wording(reward: RewardFunction):
    score = scored(reward, ASK, *WRITES, Message("assistant", f"{DONE} That makes 34.75 for you."))
    assert score.success and score.parts["worked_out"].raw == 1.0


@pytest.mark.parametrize("told", ["You get back $39.75 in total.", "The money is on its way."])
def test_another_sum_and_none_are_no_success(reward: RewardFunction, told: str):
    score = scored(reward, ASK, *WRITES, *reckoned("39.75"), Message("assistant", f"{DONE} {told}"))
    assert not score.success and "worked_out" in score.flags and float(score) <= 0.4
    assert "34.75" in score.explanation


def test_a_customer_who_does_not_ask_need_not_be_told(reward: RewardFunction):
    quiet = Message("user", "Please cancel berths B1 and B2.")
    score = scored(reward, quiet, *WRITES, Message("assistant", DONE))
    assert "worked_out" not in score.flags and score.parts["worked_out"].raw is None


def test_it_is_asked_for_in_other_languages():
    asked = (Message("user", "Bitte stornieren. Wie viel bekomme ich zurück?"), *SUCCESS[1:])
    assert worked_out_in(asked, ["Sie erhalten 34.75 zurück."]) == {3475}
