"""`check_environment` passes what keeps its promises, and names what does not."""

from dataclasses import replace
from itertools import count

import pytest

from agent_gym.corpus import Corpus
from agent_gym.environment import Environment, create_environment
from agent_gym.errors import ConformanceError
from agent_gym.testing import check_environment
from agent_gym.types import Message
from tests.environment import clinic


def broken(env: Environment) -> list[str]:
    return [check.name for check in check_environment(env, cases=3, raise_on_failure=False) if not check.ok]


def test_the_sample_business_keeps_every_promise(gym: Environment):
    assert all(check.ok for check in check_environment(gym, cases=4))


def test_a_hand_made_clinic_keeps_every_promise(desk: Environment):
    check_environment(desk)


class Forgetful:
    """An agent whose words depend on how often it was asked: the same seed gives another episode."""

    def __init__(self) -> None:
        self.times = count()

    def act(self, messages, tools):
        return Message("assistant", f"This is message {next(self.times)}.")


def test_what_is_not_deterministic_is_named(desk: Environment):
    assert {"determinism", "isolation"} <= set(broken(replace(desk, agent=Forgetful())))


def test_what_is_broken_is_raised_with_the_reason(desk: Environment):
    with pytest.raises(ConformanceError, match="determinism: two episodes of 'c0' with one seed differ"):
        check_environment(replace(desk, agent=Forgetful()), cases=1)


def test_tools_that_answer_otherwise_than_recorded_are_named():
    desk = create_environment(clinic.traces(), agent="embedded")  # its own: what is made of a changed case is kept
    told = [replace(m, result={"status": "lost"}) if m.role == "tool" else m for m in desk.corpus["c0"].messages]
    corpus = Corpus([replace(desk.corpus["c0"], messages=tuple(told))])
    assert broken(replace(desk, corpus=corpus, _scenarios={}, _profiles={}, _facts=[])) == ["self-replay"]
