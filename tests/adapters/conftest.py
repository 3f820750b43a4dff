"""The clinic's desk, built once for all tests of the adapters."""

import pytest

from agent_gym.environment import Environment, create_environment
from tests.environment import clinic


@pytest.fixture(scope="session")
def desk() -> Environment:
    return create_environment(clinic.traces(), agent="embedded")
