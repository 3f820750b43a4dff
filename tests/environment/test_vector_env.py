"""Many episodes together: each goes as it would alone, and text is handed through as it is."""

import gymnasium
import numpy as np
import orjson
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

from agent_gym.environment import Environment
from agent_gym.environment.vector import TraceVectorEnv
from agent_gym.errors import AgentGymError
from tests.environment import clinic

ID = "agent_gym.environment.gymnasium:AgentGym/Trace-v0"


def act(at: int) -> str:
    action = clinic.ACT[at]
    return action if isinstance(action, str) else orjson.dumps(action).decode()


def test_each_episode_goes_as_it_would_alone(gym: Environment):
    vector = TraceVectorEnv(gym, 3)
    texts, _ = vector.reset(seed=5)
    alone = [gym.to_gymnasium() for _ in range(3)]
    assert list(texts) == [env.reset(seed=5 + at)[0] for at, env in enumerate(alone)]
    for words in ("Hello, how can I help?", "héllo ✓ 你好"):
        texts, *_ = vector.step([words] * 3)
        assert list(texts) == [env.step(words)[0] for env in alone]


def test_an_episode_that_ended_begins_anew_at_the_next_step(desk: Environment):
    vector = TraceVectorEnv(desk, 2)
    vector.reset(seed=0, options={"conversation_id": "c1"})
    for at in range(len(clinic.ACT)):
        _, rewards, terminated, truncated, told = vector.step([act(at), "Hello."])
    assert (rewards[0], terminated[0], truncated[0], terminated[1]) == (1.0, True, False, False)
    assert told["score"][0].success and list(told["_score"]) == [True, False]
    _, rewards, terminated, _, told = vector.step(["lost", "Hello."])
    assert rewards[0] == 0.0 and not terminated[0] and told["ending"][0] == "live"


def test_it_is_made_by_its_id(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    vector = gymnasium.make_vec(ID, num_envs=2, path=str(log), max_turns=1)
    texts, _ = vector.reset(seed=1)
    assert isinstance(vector.unwrapped, TraceVectorEnv) and all(isinstance(text, str) and text for text in texts)
    assert vector.observation_space.contains(texts)
    assert list(vector.step(["Hello."] * 2)[3]) == [True, True]


def test_gymnasiums_statistics_count_its_episodes(desk: Environment):
    vector = RecordVectorStatistics(TraceVectorEnv(desk, 2, max_turns=2))
    vector.reset(seed=0)
    vector.step(["Hello."] * 2)
    *_, told = vector.step(["Hello."] * 2)
    assert list(told["episode"]["l"]) == [2, 2]
    single = RecordEpisodeStatistics(desk.to_gymnasium(max_turns=1))
    single.reset(seed=0)
    assert single.step("Hello.")[4]["episode"]["l"] == 1


def test_a_wrong_number_of_actions_or_seeds_is_said(desk: Environment):
    vector = TraceVectorEnv(desk, 2)
    with pytest.raises(AgentGymError, match=r"call reset\(\)"):
        vector.step(["Hello."] * 2)
    with pytest.raises(AgentGymError, match="as many seeds"):
        vector.reset(seed=[1])
    vector.reset(seed=[1, None])
    with pytest.raises(AgentGymError, match="takes 2 actions"):
        vector.step("Hello.")


def test_rewards_are_plain_arrays(desk: Environment):
    vector = TraceVectorEnv(desk, 3)
    vector.reset(seed=2)
    _, rewards, terminated, truncated, _ = vector.step(["Hello."] * 3)
    assert rewards.dtype == np.float64 and terminated.dtype == truncated.dtype == np.bool_
