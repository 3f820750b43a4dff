"""How far the gradient is followed: as far as cases left out go better too."""

import numpy as np
import pytest

from agent_gym.environment import Environment
from agent_gym.training import Learner, Options, started
from agent_gym.training.climbing import climbed
from agent_gym.training.forest import Node
from agent_gym.training.gradient import Batch, Group, tried

FEW = Options(rounds=1, cases=4, examples=30, validation=2)


@pytest.fixture(scope="module")
def practised(gym: Environment) -> tuple[Learner, dict[str, list[Group]]]:
    learner = started(gym, "no such file", FEW)
    return learner, {name: tried(learner.forest, name, learner.weights, 3.0, 0.1)[0] for name in learner.practice[:8]}


def test_what_was_climbed_is_higher(practised):
    learner, groups = practised
    telling = Batch(learner.form, [group for each in groups.values() for group in each if group.telling])
    after = climbed(learner.form, groups, learner.weights, 4, 1.0)
    assert telling.reward(after, 1.0) > telling.reward(learner.weights, 1.0)


def test_where_nothing_tells_nothing_is_learned(practised):
    learner, _ = practised
    assert climbed(learner.form, {"a": []}, learner.weights, 4, 1.0) is learner.weights


def test_the_order_in_which_cases_were_practised_does_not_matter(practised):
    learner, groups = practised
    turned = dict(reversed(groups.items()))
    one, two = (climbed(learner.form, each, learner.weights, 4, 1.0) for each in (groups, turned))
    assert np.array_equal(one, two)


def test_what_rests_on_a_customer_at_a_loss_teaches_nothing(gym, monkeypatch):
    learner = started(gym, "no such file", FEW)
    name = next(name for name in learner.practice if tried(learner.forest, name, learner.weights, 3.0, 0.1)[0])
    monkeypatch.setattr(Node, "at_a_loss", True)
    groups, ends = tried(learner.forest, name, learner.weights, 3.0, 0.1)
    assert ends and not groups
