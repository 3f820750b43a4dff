"""Predicted ratings: from the customer's side alone, shrunk, and silent where there is too little to learn from."""

import math
from dataclasses import replace

import numpy as np
import pytest

from agent_gym.corpus import Corpus
from agent_gym.reward import RewardFunction
from agent_gym.reward.satisfaction import Satisfaction, fit_satisfaction, rated, scale_of
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Message, ToolCall, Trace


def log(n: int = 80, noise: float = 0.3) -> list[Trace]:
    rng = np.random.default_rng(0)
    found = []
    for i in range(n):
        happy = i % 2 == 0
        words = "wonderful thanks" if happy else "useless waste of time"
        rating = float(np.clip(round((4.5 if happy else 1.5) + rng.normal(0, noise)), 1, 5))
        talk = (Message("user", f"Hello, case {i}"), Message("assistant", "Hi."), Message("user", words))
        found.append(Trace(f"c{i}", talk, "resolved" if happy else "failed", rating))
    return found


def fitted(traces: list[Trace]) -> Satisfaction | None:
    corpus = Corpus(traces)
    return fit_satisfaction(rated(corpus, ToolMocker.fit(corpus)))


def test_a_happy_customer_is_foretold_from_their_words():
    model = fitted(log())
    assert model is not None and model.agreement > 0.8 and model.blind > 0.8
    corpus = Corpus(log())
    good, bad = rated(corpus, ToolMocker.fit(corpus))[:2]
    assert model.rating(good.talk, 0.5) > model.rating(bad.talk, 0.5)


def test_what_the_agent_says_changes_nothing():
    model, corpus = fitted(log()), Corpus(log())
    talk = rated(corpus, ToolMocker.fit(corpus))[0].talk
    flattered = replace(talk, messages=(*talk.messages, Message("assistant", "wonderful thanks wonderful")))
    assert model is not None
    assert model.rating(flattered, 0.5) == model.rating(talk, 0.5)


def refused_log() -> list[Trace]:
    """Successes of which every other had to turn something down, and was liked less for it."""
    found = []
    for i in range(120):
        no = i % 2 == 0
        reply = "Unfortunately that is not possible." if no else "That is settled."
        talk = (Message("user", f"Hello, case {i}"), Message("assistant", reply), Message("user", "Bye."))
        found.append(Trace(f"c{i}", talk, "resolved", 3.0 if no and i % 6 else 5.0))
    return found


def test_who_could_not_be_helped_is_less_content_whatever_this_agent_says():
    model, corpus = fitted(refused_log()), Corpus(refused_log())
    refused, granted = (one.talk for one in rated(corpus, ToolMocker.fit(corpus))[:2])
    assert model is not None
    assert model.rating(refused, 1.0) < model.rating(granted, 1.0)
    sweetened = replace(refused, messages=granted.messages)
    assert model.rating(sweetened, 1.0) == model.rating(refused, 1.0)


def test_fewer_than_fifty_ratings_teach_nothing():
    assert fitted(log(49)) is None
    assert fitted([replace(trace, satisfaction_score=math.nan) for trace in log()]) is None


@pytest.mark.parametrize(
    ("ratings", "scale"),
    [
        ([1, 2, 5], (1.0, 5.0)),
        ([0, 0.5, 1], (0.0, 1.0)),
        ([1, 4, 10], (1.0, 10.0)),
        ([0, 30, 60, 90], (0.0, 100.0)),
        ([3, 3, 3], None),
        ([], None),
        ([1, 2, 4, 5, 5, 88, 90, 72, 95, 60], None),  # stars among percentages
        ([0.2, 0.9, 0.5, 4, 5, 3, 5, 4], None),  # shares among stars
    ],
)
def test_a_scale_is_recognised_and_a_mixture_refused(ratings, scale):
    assert scale_of(ratings) == scale


def test_it_is_logged_with_weight_0_and_survives_json():
    model = fitted(log())
    assert model is not None and Satisfaction.from_dict(model.to_dict()) == model
    corpus = Corpus(log())
    function = RewardFunction.fit(corpus, ToolMocker.fit(corpus))
    part = function.score(corpus["c0"].messages, "c0").parts["satisfaction"]
    assert part.weight == 0.0 and part.raw is not None and part.raw > 0.5


def test_what_was_looked_up_does_not_show_to_the_customer():
    call = ToolCall("get_hours", {"shop": "north"}, "h")
    look = (
        Message("assistant", tool_calls=(call,)),
        Message("tool", name="get_hours", tool_call_id="h", result="open"),
    )
    ask, tell = Message("user", "Are you there?"), Message("assistant", "Yes, we are.")
    asked = Trace("asked", (ask, *look, tell), "resolved", 5.0)
    corpus = Corpus([asked, *log()])
    function = RewardFunction.fit(corpus, ToolMocker.fit(corpus))
    idle, late = (function.score(talk, "asked") for talk in ([ask, tell], [ask, *look]))
    assert "work" in idle.flags and "ending" in late.flags
    pleased, waiting = (score.parts["satisfaction"].raw for score in (idle, late))
    assert pleased is not None and waiting is not None and pleased > waiting
