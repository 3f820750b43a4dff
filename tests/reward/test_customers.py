"""Whose conversation it is: strangers are told apart, one customer is not split in two."""

from agent_gym.corpus import Corpus
from agent_gym.reward import RewardFunction
from agent_gym.reward.customers import are_strangers, customer_marks
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, Trace
from tests.reward.test_reward_parts import called, said

KIM = [said("user", "Cancel my visit please, I am kim@mail.example"), *called("cancel", {"visit": 7}, {"ok": True})]
LEE = [said("user", "Move my visit, lee@mail.example"), *called("move", {"visit": 9}, {"ok": True})]
SHY = [said("user", "I would rather not say who I am.")]


def strangers(mine: list[Message], theirs: list[Message]) -> bool:
    return are_strangers(mine, theirs, customer_marks(theirs))


def test_two_who_name_themselves_differently_are_strangers():
    assert strangers(LEE, KIM)
    assert strangers(KIM, LEE)
    assert not strangers(KIM, KIM)


def test_who_does_not_say_who_they_are_is_no_stranger():
    assert not strangers(SHY, KIM)
    assert not strangers(KIM, SHY)


def test_one_customer_may_give_an_address_here_and_a_number_there():
    by_number = [
        said("user", "My account is AC-55555"),
        *called("find", {"id": "AC-55555"}, {"email": "kim@mail.example"}),
    ]
    assert not strangers(by_number, KIM)
    assert not strangers(KIM, by_number)


def test_a_thing_that_both_own_does_not_make_them_one():
    mine = [*LEE, said("user", "It is about model 1421289881.")]
    theirs = [*KIM, *called("find", {"model": "1421289881"}, {"price": 3})]
    assert strangers(mine, theirs)


def test_a_reference_of_another_customer_is_held_against_in_general_only():
    corpus = Corpus([Trace("kim", (*KIM, said("assistant", "It is cancelled.")), outcome="resolved")])
    function = RewardFunction.fit(corpus, ToolMocker.fit(corpus))
    score = function.score([*LEE, said("assistant", "It is moved.")], "kim")
    assert "reference_of_another_case" in score.flags
    assert not score.success
