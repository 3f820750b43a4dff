"""Which cases are practised on, and what is surely gained where a case has many conversations."""

import numpy as np
import pytest

from agent_gym.training.cases import evenly, set_apart, sure_gain


def test_who_has_most_of_the_cases_is_practised_with_and_not_tried_on():
    customers = [0] * 40 + [1, 2, 3, 4] * 3
    assert set_apart(customers, 6) == {1, 2}
    assert set_apart([0] * 30 + [1] * 20, 6) == {1}, "somebody has to be tried on"
    assert len(set_apart(list(range(40)), 10)) == 10


def test_every_case_has_its_turn_before_any_has_a_second():
    cases = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "c1": "c", "c2": "c"}
    assert evenly(["a2", "a1", "c1", "a3", "b1", "c2"], cases) == (["a2", "c1", "b1", "a1", "c2", "a3"], 3)


def test_where_every_conversation_is_a_case_the_order_stays():
    assert evenly(["b", "c", "a"], {name: name for name in "abc"}) == (["b", "c", "a"], 3)


def test_of_cases_with_one_conversation_each_the_error_is_the_usual_one():
    gains = dict(zip("abcd", [0.5, 0.0, 0.2, -0.1], strict=True))
    mean, low = sure_gain(gains, {name: name for name in gains}, 2.0)
    values = list(gains.values())
    assert mean == pytest.approx(np.mean(values)) and low == pytest.approx(np.mean(values) - np.std(values))


def test_ten_conversations_of_one_case_say_no_more_than_one():
    once = {"a": 0.6, "b": 0.0, "c": 0.1}
    often = {f"{case}{n}": gain for case, gain in once.items() for n in range(10)}
    cases = {name: name[0] for name in [*once, *often]}
    assert sure_gain(often, cases, 2.0) == pytest.approx(sure_gain(once, cases, 2.0))


def test_of_a_single_case_nothing_is_sure():
    gains = {"a1": 0.4, "a2": 0.5}
    assert sure_gain(gains, dict.fromkeys(gains, "a"), 2.0) == pytest.approx((0.45, 0.0))
    assert sure_gain({"a1": -0.4}, {"a1": "a"}, 2.0) == (-0.4, -0.4)
