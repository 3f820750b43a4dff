"""As a Gymnasium environment: checked by Gymnasium itself, made by id, the same for the same seed."""

import gymnasium
import orjson
import pytest
from gymnasium.utils.env_checker import check_env

from agent_gym import create_environment
from agent_gym.environment.gymnasium import AnyText
from agent_gym.errors import AgentGymError, OptionError
from tests.environment import clinic

ID = "agent_gym.environment.gymnasium:AgentGym/Trace-v0"


@pytest.fixture
def path(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    return str(log)


def test_gymnasiums_own_check_passes_without_a_warning(desk, path):
    """Warnings are errors here. Render modes can only be checked where Gymnasium itself made the environment."""
    check_env(desk.to_gymnasium(), skip_render_check=True)
    check_env(gymnasium.make(ID, path=path).unwrapped)


def test_it_is_made_by_its_id_from_a_path(path):
    env = gymnasium.make(ID, path=path)
    _, info = env.reset(seed=1, options={"conversation_id": "c1"})
    assert info["conversation_id"] == "c1"
    steps = [env.step(action if isinstance(action, str) else orjson.dumps(action).decode()) for action in clinic.ACT]
    assert [step[1:4] for step in steps] == [(0.0, False, False), (0.0, False, False), (1.0, True, False)]


def test_the_same_seed_is_the_same_episode_and_another_is_not(gym):
    env, twin = gym.to_gymnasium(), gym.to_gymnasium()
    assert env.reset(seed=7) == twin.reset(seed=7)
    assert env.step("Hello, how can I help?") == twin.step("Hello, how can I help?")
    assert len({env.reset(seed=seed)[1]["conversation_id"] for seed in range(8)}) > 1


def test_resets_without_a_seed_go_on_through_the_cases(gym):
    env = gym.to_gymnasium()
    env.reset(seed=0)
    assert len({env.reset()[1]["conversation_id"] for _ in range(8)}) > 1


def test_a_split_gives_its_own_scorable_cases(gym):
    env = gym.to_gymnasium(split="test")
    held_out = {s.conversation_id for s in gym.scenarios("test") if s.scorable}
    assert {env.reset(seed=seed)[1]["conversation_id"] for seed in range(12)} <= held_out


def test_a_step_before_the_reset_is_an_error(desk):
    with pytest.raises(AgentGymError, match=r"call reset\(\)"):
        desk.to_gymnasium().step("hi")


def test_options_reach_the_episode(desk):
    env = desk.to_gymnasium(max_turns=1)
    env.reset(seed=0)
    assert env.step("hi")[3] is True


def test_what_cannot_be_played_is_told(desk):
    with pytest.raises(AgentGymError, match="the test split holds no scorable"):
        desk.to_gymnasium(split="test")
    with pytest.raises(OptionError, match="did you mean 'train'"):
        desk.to_gymnasium(split="trial")


def test_the_info_is_json(desk):
    env = desk.to_gymnasium()
    env.reset(seed=0, options={"conversation_id": "c1"})
    infos = [env.step(action if isinstance(action, str) else orjson.dumps(action).decode())[4] for action in clinic.ACT]
    assert orjson.loads(orjson.dumps(infos)) == infos
    assert infos[-1]["provenance"] == ["recorded", "recorded"]
    assert infos[-1]["score"]["success"] is True


def test_render_shows_the_conversation_when_asked():
    env = create_environment(clinic.traces(), agent="embedded").to_gymnasium(render_mode="ansi")
    assert env.render() is None
    env.reset(seed=0, options={"conversation_id": "c1"})
    shown = env.render()
    assert shown is not None
    assert clinic.key(1) in shown


def test_any_text_is_in_the_space():
    space = AnyText(seed=3)
    assert all(text in space for text in ("", "héllo 日本 🙂", "\x00", space.sample()))
    assert 5 not in space
    assert space.sample() != space.sample()
    assert AnyText(seed=3).sample() == AnyText(seed=3).sample()
    assert (space == AnyText(), len({space, AnyText()})) == (True, 1)
