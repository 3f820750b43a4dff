"""The fitted model: it never falls when a part rises, it means what it says, and it takes only what helps."""

import math

import numpy as np
import pytest

from agent_gym.reward.fitting import fit_model
from agent_gym.reward.folds import folds_of
from agent_gym.reward.model import Curve, RewardModel, Row


def rows(n: int = 200, seed: int = 0) -> list[Row]:
    """`told` goes with success, `noise` with nothing, `upside_down` against it; `told` is missing now and then."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        told = float(rng.random())
        success = bool(rng.random() < told)
        raw = {"told": None if i % 7 == 0 else told, "noise": float(rng.random()), "upside_down": 1 - told}
        found.append(Row(raw, success, i // 4))
    return found


def fitted(n: int = 200) -> RewardModel:
    model = fit_model(rows(n))
    assert model is not None
    return model


def test_only_what_helps_on_held_out_groups_enters_and_never_against_its_direction():
    assert set(fitted().weights) == {"told"}
    assert fitted().weights["told"] > 0


def test_what_helps_in_case_after_case_enters_though_two_customers_hold_them_all():
    two = [row._replace(group=at % 2, case=f"case {at // 4}") for at, row in enumerate(rows())]
    model = fit_model(two)
    assert model is not None
    assert set(model.weights) == {"told"}


def test_the_probability_never_falls_when_a_part_rises():
    for model in (fitted(200), fitted(800)):
        stated = [model.probability({"told": raw / 20}) for raw in range(21)]
        assert stated == sorted(stated)
        assert stated[0] < 0.3 < 0.7 < stated[-1]


def test_a_part_that_does_not_apply_neither_raises_nor_lowers():
    model = fitted()
    assert model.probability({"told": None}) == model.probability({"told": model.neutral["told"]})
    assert model.probability({}) == model.probability({"told": None})


def test_platt_below_500_labels_and_a_rising_curve_from_there():
    assert fitted(499).calibration is None
    assert fitted(500).calibration is not None


@pytest.mark.parametrize("n", [300, 1200])
def test_what_it_states_comes_true_on_rows_it_has_not_seen(n: int):
    model, fresh = fitted(n), rows(2000, seed=1)
    low = [row.success for row in fresh if model.probability(row.raw) < 0.3]
    high = [row.success for row in fresh if model.probability(row.raw) > 0.7]
    assert np.mean(low) < 0.3 and np.mean(high) > 0.7


def test_below_thirty_of_a_class_nothing_is_fitted():
    one_class = [row._replace(success=True) for row in rows()]
    few = [row for row in rows() if row.success] + [row for row in rows() if not row.success][:29]
    one_group = [row._replace(group=0) for row in rows()]
    assert [fit_model(given) for given in (one_class, few, one_group, [])] == [None] * 4


def test_separable_labels_leave_finite_weights():
    clear = [Row({"done": float(i % 2)}, i % 2 == 1, i) for i in range(80)]
    model = fit_model(clear)
    assert model is not None and math.isfinite(model.weights["done"])
    assert model.probability({"done": 0.0}) < 0.05 < 0.95 < model.probability({"done": 1.0})


def test_it_survives_json_and_is_the_same_every_time():
    model = fitted(600)
    assert RewardModel.from_dict(model.to_dict()) == model == fitted(600)


def test_each_part_says_how_often_such_a_score_came_with_success():
    model = fitted()
    low, high = model.calibrated("told", 0.05), model.calibrated("told", 0.95)
    assert low is not None and high is not None and low < 0.3 and high > 0.7
    assert model.calibrated("told", None) is None


def test_a_curve_is_flat_beyond_its_ends_and_straight_between():
    curve = Curve((0.0, 1.0), (0.2, 0.8))
    assert [curve.at(x) for x in (-5, 0, 0.5, 1, 9)] == pytest.approx([0.2, 0.2, 0.5, 0.8, 0.8])


def test_folds_keep_groups_whole_and_classes_apart_evenly():
    groups, labels = [i // 3 for i in range(90)], [i % 3 == 0 for i in range(90)]
    folds = folds_of(groups, labels)
    assert all(folds[i] == folds[3 * (i // 3)] for i in range(90))
    assert [sum(labels[i] for i in range(90) if folds[i] == fold) for fold in range(5)] == [6] * 5
