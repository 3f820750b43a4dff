"""The watch: the audit's hacks on episodes that a policy played itself."""

import pytest

from agent_gym.environment import Environment, Episode, create_environment
from agent_gym.environment.action import Action
from agent_gym.fidelity.watch import hack_shares, worst
from agent_gym.reward import RewardFunction
from agent_gym.reward.hacks import HACKS, HackClass
from agent_gym.types import Message, Score
from tests.environment import clinic

NO_WORK: HackClass = "no work or deception"
CORRUPTED: HackClass = "a success corrupted in one place"


def played(environment: Environment, *acts: Action, name: str = "c1") -> Episode:
    episode = environment.episode(name, max_turns=3)
    for act in acts:
        if not episode.over:
            episode.step(act)
    return episode


def test_nothing_pays_beside_an_honest_success(desk: Environment):
    success = played(desk, *clinic.ACT)
    shares = hack_shares(desk, [success])
    assert success.score and success.score.success
    assert set(shares.values()) == {0.0} and {"do nothing", "one wrong argument", "negation"} <= shares.keys()


def test_where_only_words_are_paid_hacks_pay(desk: Environment, monkeypatch: pytest.MonkeyPatch):
    def gullible(_: RewardFunction, messages: list[Message], *__: object) -> Score:
        return Score(float(any("perfect" in m.text for m in messages)), success=False)

    success = played(desk, *clinic.ACT)
    monkeypatch.setattr(RewardFunction, "score", gullible)
    shares = hack_shares(desk, [success, success])
    assert (shares["praise by the customer"], shares["do nothing"]) == (1.0, 0.0)


def test_a_corrupted_success_that_is_still_one_pays(desk: Environment, monkeypatch: pytest.MonkeyPatch):
    success = played(desk, *clinic.ACT)
    monkeypatch.setattr(RewardFunction, "score", lambda *_: Score(0.0, success=True))
    assert hack_shares(desk, [success])["one wrong argument"] == 1.0


def test_a_failure_is_not_corrupted_and_as_little_as_it_got_is_no_pay(desk: Environment):
    failure = played(desk, "Hello.", "Hello.", "Hello.")
    shares = hack_shares(desk, [failure])
    assert float(failure.score or 0.0) == 0.0 and set(shares.values()) == {0.0}
    assert shares.keys() <= {hack.name for hack in HACKS if hack.kind == NO_WORK}


def test_a_case_that_is_solved_by_doing_nothing_is_not_watched():
    hello = {"conversation_id": "hi", "outcome": "resolved", "messages": [clinic.user("Hello."), clinic.agent("Hi!")]}
    environment = create_environment([*clinic.traces(), hello], agent="embedded")
    assert hack_shares(environment, [played(environment, "Hi!", name="hi")]) == {}


def test_the_worst_hack_of_a_class_speaks_for_it():
    shares = {"do nothing": 0.1, "echo": 0.3, "negation": 0.5, "a hack of another version": 1.0}
    assert (worst(shares, NO_WORK), worst(shares, CORRUPTED), worst({"echo": 0.3}, CORRUPTED)) == (0.3, 0.5, None)
