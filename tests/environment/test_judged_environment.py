"""A judge as an option of the environment."""

from pathlib import Path

import pytest

from agent_gym.environment import create_environment
from agent_gym.errors import LlmBadReply, LlmUnavailable, OptionError
from agent_gym.reward import Criterion, JudgeOptions
from tests.environment import clinic
from tests.reward.bench import Asked, honest, serving


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENT_GYM_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_an_episode_is_judged_by_the_lines_of_a_file(tmp_path: Path):
    lines = tmp_path / "criteria.txt"
    lines.write_text("# what we want\nmust: The request was carried out.\npitfall: The agent apologised.\n")
    with serving() as (_, model):
        env = create_environment(clinic.traces(), "embedded", judge=JudgeOptions(model), criteria=lines)
        episode = env.episode("c1")
        for action in clinic.ACT:
            step = episode.step(action)
    score = step.info["score"]
    assert [part.raw for name, part in score.parts.items() if name.startswith("judge:")] == [1.0, 1.0]
    assert score.success


def test_a_judge_that_fails_is_not_a_reward_of_zero():
    def moody(asked: Asked) -> str:
        return "I would rather not." if "apologised" in asked.statement else honest(asked)

    with serving(moody) as (_, model):
        criteria = [Criterion("The agent apologised.", "pitfall")]
        env = create_environment(clinic.traces(), "embedded", judge=JudgeOptions(model), criteria=criteria)
        episode = env.episode("c1")
        for action in clinic.ACT[:-1]:
            episode.step(action)
        with pytest.raises(LlmBadReply):
            episode.step(clinic.ACT[-1])
    assert episode.over and episode.score is None


def test_offline_a_judge_fails_at_once_and_nothing_is_sent(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    with pytest.raises(LlmUnavailable, match="AGENT_GYM_OFFLINE"):
        create_environment(clinic.traces(), judge="openai:m", criteria=["The agent listens."])


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"judge": "gemni"}, "did you mean 'gemini'"),
        ({"criteria": ["The agent listens."]}, "judge=None"),
        ({"judge": "gemini", "criteria": "no/such/file.txt"}, "cannot be read"),
    ],
)
def test_a_mistake_in_the_options_is_told_before_anything_is_mined(options, reason):
    with pytest.raises(OptionError, match=reason):
        create_environment("no/such/traces.jsonl", **options)
