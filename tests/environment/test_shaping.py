"""Shaping: steps are paid for progress, and add up to the score, whatever way the episode goes."""

import json

import pytest

from agent_gym.environment import Environment, Episode
from agent_gym.errors import OptionError
from agent_gym.tool_mocker import Faults
from tests.environment.clinic import ACT, call, calls


def rewards(episode: Episode, *actions) -> list[float]:
    return [episode.step(action).reward for action in actions if not episode.over]


def test_progress_is_paid_when_it_is_made_and_the_sum_is_the_score(desk: Environment):
    episode = desk.episode("c1", shaping=True)
    paid = rewards(episode, *ACT)
    assert paid[0] == 0.0 < paid[1]
    assert sum(paid) == pytest.approx(1.0)
    assert episode.score == 1.0


def test_a_failure_pays_its_score_in_all(desk: Environment):
    episode = desk.episode("c1", shaping=True)
    paid = rewards(episode, ACT[1], calls(call("cancel_visit", 2)), *["Done."] * 40)
    assert episode.over
    assert episode.score is not None
    assert not episode.score.success
    assert sum(paid) == pytest.approx(episode.score)


def test_a_truncated_episode_pays_its_score_in_all(desk: Environment):
    episode = desk.episode("c1", shaping=True, max_turns=2)
    paid = rewards(episode, *ACT[:2])
    assert episode.ending == "too_many_turns"
    assert sum(paid) == pytest.approx(episode.score)


def test_what_the_record_did_before_the_start_is_not_paid(desk: Environment):
    episode = desk.episode("c1", shaping=True, from_turn=2)
    paid = rewards(episode, calls(call("get_visit", 1)), ACT[-1])
    assert paid[0] == 0.0
    assert sum(paid) == pytest.approx(1.0)


def test_progress_undone_is_paid_back(desk: Environment):
    episode = desk.episode("c1", shaping=True)
    paid = rewards(episode, *ACT[:2], calls(call("cancel_visit", 2)))
    assert paid[1] > 0.0 > paid[2]


def test_without_shaping_only_the_end_pays(desk: Environment):
    assert rewards(desk.episode("c1"), *ACT) == [0.0, 0.0, 1.0]


def test_a_fork_goes_on_paying_where_the_original_stood(desk: Environment):
    episode = desk.episode("c1", shaping=True)
    before = rewards(episode, *ACT[:2])
    assert sum(before) + sum(rewards(episode.fork(), ACT[2])) == pytest.approx(1.0)


def test_a_case_without_a_goal_pays_nothing(desk: Environment):
    assert rewards(desk.episode("h3", shaping=True), calls(call("transfer_to_human_agent", 3))) == [0.0]


def test_gymnasium_takes_shaping_and_the_tools_options(desk: Environment):
    env = desk.to_gymnasium(shaping=True, max_rung="recorded")
    env.reset(seed=0, options={"conversation_id": "c1"})
    paid = [env.step(action)[1] for action in map(_as_text, ACT)]
    assert paid[1] > 0.0
    assert sum(paid) == pytest.approx(1.0)


def test_an_episode_passes_faults_to_its_tools(desk: Environment):
    episode = desk.episode("c1", faults=Faults(rate=1.0, kinds=("timeout",)))
    episode.step(ACT[0])
    assert episode.answers[0][1].source == "injected"


def test_faults_do_not_change_what_is_recorded(desk: Environment):
    with pytest.raises(OptionError, match="recorded has happened"):
        desk.episode("c1", from_turn=2, faults=Faults())


def _as_text(action: object) -> str:
    return action if isinstance(action, str) else json.dumps(action)
