"""Two environments that many tests share: both immutable, so whoever comes first builds them for all."""

from pathlib import Path

import pytest
from hypothesis import settings

from agent_gym.environment import Environment, create_environment
from agent_gym.trace_parser import read_traces
from agent_gym.types import Trace
from tests.environment import clinic

# A run that fails fails again: the same examples every time.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

LOG = Path(__file__).resolve().parent.parent / "data" / "processed" / "conversations.jsonl"


@pytest.fixture(scope="session")
def log() -> list[Trace]:
    """The first conversations of the sample business."""
    return read_traces(LOG)[:80]


@pytest.fixture(scope="session")
def gym(log: list[Trace]) -> Environment:
    """An environment of the sample business, some of it held out."""
    return create_environment(log, agent="embedded", policy="Verify before you write.", test_fraction=0.2)


@pytest.fixture(scope="session")
def desk() -> Environment:
    """An environment of a hand-made clinic, in which every value is known."""
    return create_environment(clinic.traces(), agent="embedded", policy="Be kind.")
