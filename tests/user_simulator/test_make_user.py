"""Customers are made by kind."""

import pytest

from agent_gym.errors import AgentGymError, OptionError
from agent_gym.types import Message, Trace, User
from agent_gym.user_simulator import make_user, mine_profile

TRACE = Trace("c", (Message("user", "Please close my account, my id is 123"), Message("assistant", "It is closed.")))


@pytest.mark.parametrize("kind", ["agenda", "replay"])
def test_every_kind_is_a_user_with_first_words(kind):
    user = make_user(TRACE, kind, goal=None)
    assert isinstance(user, User)
    assert user.open() == Message("user", "Please close my account, my id is 123")


def test_the_id_given_in_the_opener_is_given_again_when_asked():
    user = make_user(TRACE, "agenda", goal=None)
    said = user.reply([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "What is your account id?"}])
    assert said is not None
    assert "123" in said.text


def test_an_unknown_kind_is_refused_with_those_there_are():
    with pytest.raises(OptionError, match=r"agenda, replay, llm.*did you mean 'replay'"):
        make_user(TRACE, "relpay", goal=None)


@pytest.mark.parametrize("kind", ["agenda", "replay"])
def test_a_trace_without_a_customer_makes_none(kind):
    with pytest.raises(AgentGymError):
        make_user(Trace("c", (Message("system", "Be kind."),)), kind, goal=None)


def test_a_profile_mined_before_gives_the_same_customer():
    messages = [TRACE.messages[0], Message("assistant", "What is your account id?")]
    mined, fresh = (make_user(TRACE, goal=None, profile=p) for p in (mine_profile(TRACE), None))
    assert mined.reply(messages) == fresh.reply(messages)
