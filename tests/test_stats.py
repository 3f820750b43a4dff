"""Intervals: known values, honest where little was counted, the same every time."""

import math

import pytest

from agent_gym.stats import auc, bootstrap, brier, calibration_curve, calibration_error, rate, spearman, wasserstein


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # Wilson's score interval at z = 1.96, as tables have it.
    [(8, 10, 0.4902, 0.9433), (50, 100, 0.4038, 0.5962), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)],
)
def test_wilsons_interval_has_its_known_values(hits, n, low, high):
    found = rate(hits, n)
    assert found.value == hits / n
    assert found[1:3] == pytest.approx((low, high), abs=1e-4)


def test_nothing_counted_is_not_zero():
    found = rate(0, 0)
    assert found.n == 0
    assert all(math.isnan(number) for number in found[:3])
    assert str(found) == "nan% [nan%, nan%] n=0"


def test_more_rows_narrow_the_interval():
    few, many = rate(8, 10), rate(800, 1000)
    assert many.high - many.low < few.high - few.low


def test_a_rate_reads_as_a_sentence():
    assert str(rate(1, 2)) == "50.0% [9.5%, 90.5%] n=2"


def test_bootstrap_is_the_same_every_time_and_another_with_another_seed():
    groups = [[0.1 * i, 1.0 - 0.07 * i] for i in range(12)]
    assert bootstrap(groups) == bootstrap(groups)
    assert bootstrap(groups, seed=1) != bootstrap(groups, seed=2)


def test_bootstrap_draws_whole_groups():
    """A hundred rows of two cases say as little as two rows."""
    low, high = bootstrap([[0.0] * 50, [1.0] * 50])
    assert (low, high) == (0.0, 1.0)
    assert bootstrap([[0.0], [1.0]] * 50)[0] > 0.3


def test_bootstrap_takes_any_statistic():
    assert bootstrap([[3.0, 5.0], [4.0]], statistic=max, draws=200) == (4.0, 5.0)


def test_auc_counts_ties_half_and_needs_both_classes():
    assert auc([True, False, True, False], [0.9, 0.1, 0.5, 0.5]) == pytest.approx(0.875)
    assert math.isnan(auc([True, True], [0.1, 0.2]))


def test_rank_correlation_is_blind_to_scale_and_knows_ties():
    assert spearman([1, 2, 3], [10, 200, 3000]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]))


def test_a_forecast_that_comes_true_as_often_as_it_says_has_no_calibration_error():
    labels, stated = [True] * 3 + [False], [0.75] * 4
    assert calibration_error(labels, stated) == pytest.approx(0.0)
    assert calibration_error(labels, [0.25] * 4) == pytest.approx(0.5)
    assert brier([True, False], [1.0, 0.5]) == pytest.approx(0.125)


def test_a_curve_keeps_its_rows_and_leaves_empty_bins_out():
    curve = calibration_curve([True, False, True], [0.05, 0.06, 1.0])
    assert [(row.n, row.true) for row in curve] == [(2, 0.5), (1, 1.0)]


def test_draws_without_an_answer_do_not_count():
    low, high = bootstrap([[1.0], [1.0]], lambda _: math.nan, draws=5)
    assert math.isnan(low) and math.isnan(high)


def test_the_distance_of_two_samples_is_how_far_one_has_to_be_moved():
    assert wasserstein([0.0, 1.0], [5.0, 6.0]) == 5.0
    assert wasserstein([1.0, 2.0, 3.0], [3.0, 1.0, 2.0]) == 0.0
    assert wasserstein([0.0], [0.0, 4.0]) == 2.0
