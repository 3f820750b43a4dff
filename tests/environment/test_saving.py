"""Saved and loaded, an environment is the same environment."""

from pathlib import Path

import pytest

import agent_gym
from agent_gym.environment import Environment, create_environment, open_environment, play
from agent_gym.errors import GymFileError
from tests.environment import clinic
from tests.store.gyms import written


def test_a_loaded_environment_plays_the_same_episode(gym: Environment, tmp_path: Path):
    gym.save(tmp_path / "x.gym")
    again = agent_gym.load(tmp_path / "x.gym", agent="embedded")
    one, two = (play(env.episode(seed=3), env.agent) for env in (gym, again))
    assert one.to_dict() == two.to_dict()


def test_the_split_comes_back_as_it_was_drawn(gym: Environment, tmp_path: Path):
    gym.save(tmp_path / "x.gym")
    again = agent_gym.load(tmp_path / "x.gym", agent="embedded")
    assert [t.conversation_id for t in again.corpus.test] == [t.conversation_id for t in gym.corpus.test] != []
    assert again.policy == gym.policy


def test_a_gym_file_and_a_log_open_alike(desk: Environment, tmp_path: Path):
    desk.save(tmp_path / "x.gym")
    from_file = open_environment(tmp_path / "x.gym", agent="embedded", test_fraction=0.5)
    from_log = open_environment(clinic.traces(), agent="embedded")
    assert from_file.counts == from_log.counts
    assert from_file.counts["test"] == 0  # a gym keeps the split it was built with


def test_the_customer_kind_is_part_of_the_gym_and_can_be_overridden(tmp_path: Path):
    create_environment(clinic.traces(), agent="embedded", user="replay").save(tmp_path / "x.gym")
    assert agent_gym.load(tmp_path / "x.gym", agent="embedded").user_kind == "replay"
    assert agent_gym.load(tmp_path / "x.gym", agent="embedded", user="agenda").user_kind == "agenda"


def test_a_file_without_an_environment_is_said_to_be_one(tmp_path: Path):
    written(tmp_path / "x.gym", [])
    with pytest.raises(GymFileError, match="it holds no environment"):
        agent_gym.load(tmp_path / "x.gym")
