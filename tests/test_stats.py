"""Intervals: known values, honest where little was counted, the same every time."""

import math

import pytest

from agent_gym.stats import bootstrap, rate


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
