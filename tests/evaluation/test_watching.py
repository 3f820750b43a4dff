"""A bar that attempts move: on a terminal it is seen, in a file it is not."""

import io

import pytest
from rich.console import Console

from agent_gym.environment import create_environment
from agent_gym.evaluation import agent_source, evaluate, planned, watched
from tests.environment import clinic


@pytest.fixture(scope="module")
def gym():
    return create_environment(clinic.traces(), agent="embedded")


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_counts_attempts_and_successes_where_somebody_looks(gym, terminal):
    seen = io.StringIO()
    plan = planned(gym, None, episodes=3)
    with watched(plan, Console(file=seen, force_terminal=terminal, width=100)) as on_attempt:
        evaluate(gym, agent_source("replay", gym), plan, on_attempt=on_attempt)
    assert ("3/3" in seen.getvalue() and "3 successes" in seen.getvalue()) is terminal
