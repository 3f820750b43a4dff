"""Work that is shared with other processes is done once, in order, or not at all."""

import pytest

from agent_gym.environment.witnessing import Helpers, helping
from agent_gym.errors import AgentGymError
from agent_gym.reward.learning import Witness
from agent_gym.reward.model import Row
from agent_gym.reward.signs import Terms
from agent_gym.types import unwatched

NAMES = [f"c{at}" for at in range(100)]


def witness(name: str) -> Witness:
    return Witness(Row({}, True, 0, name), Terms(frozenset(), frozenset()))


def here(names: list[str]) -> list[Witness]:
    return [witness(name) for name in names]


def test_without_a_helper_all_is_done_here_and_told():
    told: list[tuple[str, int, int]] = []
    found = list(Helpers(()).witnesses(NAMES, here, lambda *one: told.append(one)))
    assert [one.row.case for one in found] == NAMES
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert told[-1][1:] == (len(NAMES), len(NAMES)) and len(told) > 2


def test_a_helper_that_fails_is_an_error_and_not_half_a_result(tmp_path):
    with helping(tmp_path / "none.gym", 1) as helpers, pytest.raises(AgentGymError, match="ended before its work"):
        list(helpers.witnesses(NAMES, here, unwatched))
