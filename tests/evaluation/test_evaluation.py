"""Evaluation: what is played is counted once, what failed is not a zero, and a killed run goes on."""

import math
from pathlib import Path

import pytest

from agent_gym.environment import Environment, Rollout, play
from agent_gym.errors import AgentGymError, LlmOverloaded, OptionError, RunFileError
from agent_gym.evaluation import RunFile, agent_source, evaluate, pass_hat, planned, rescored, summarised
from agent_gym.types import Message


class Flaky:
    """A model that is down for its first conversations."""

    def __init__(self, down: int) -> None:
        self.down = down

    def act(self, messages, tools):
        if self.down:
            self.down -= 1
            raise LlmOverloaded("try later", 503)
        return Message("assistant", "Hello.")


def test_the_recorded_agent_succeeds_where_it_did(desk: Environment):
    plan = planned(desk, "train")
    summary = summarised(evaluate(desk, agent_source("replay", desk), plan, user="replay"))
    assert summary.success_rate.value > 0.9
    assert summary.episodes == len(plan) and summary.failed == 0


def test_doing_nothing_never_succeeds(desk: Environment):
    summary = summarised(evaluate(desk, agent_source("scripted:do-nothing", desk), planned(desk, "train")))
    assert summary.success_rate.value == 0.0
    assert summary.mean_reward.value < 0.2


@pytest.mark.parametrize("workers", [1, 3])
def test_a_model_that_does_not_answer_is_failed_and_never_a_zero(desk: Environment, workers: int):
    agent = Flaky(2)
    attempts = evaluate(desk, lambda _: agent, planned(desk, "train"), workers=workers, max_turns=2)
    summary = summarised(attempts)
    assert summary.failed == 2 and summary.failures == {"LlmOverloaded": 2}
    assert all((attempt.rollout.score is None) == (attempt.rollout.failure is not None) for attempt in attempts)


def test_threads_find_what_one_after_the_other_finds(desk: Environment):
    plan, agent = planned(desk, "train", trials=2), agent_source("embedded", desk)
    alone, together = (evaluate(desk, agent, plan, workers=workers) for workers in (1, 4))
    assert [a.rollout.to_dict() for a in alone] == [a.rollout.to_dict() for a in together]


def test_a_killed_run_goes_on_without_repeating_or_losing_an_episode(desk: Environment, tmp_path: Path):
    plan, path, made = planned(desk, "train", trials=2), tmp_path / "run.jsonl", []

    def stop_after_three(attempt):
        made.append(attempt.key)
        if len(made) == 3:
            raise KeyboardInterrupt

    source = agent_source("replay", desk)
    with pytest.raises(KeyboardInterrupt):
        evaluate(
            desk, source, plan, run=RunFile.start_or_resume(path, {"agent": "replay"}), on_attempt=stop_after_three
        )
    path.write_bytes(path.read_bytes()[:-20])  # the last line is cut short: that episode is played again
    run = RunFile.start_or_resume(path, {"agent": "replay"})
    assert len(run.attempts()) == 2
    attempts = evaluate(desk, source, plan, run=run, on_attempt=lambda attempt: made.append(attempt.key))
    assert sorted(a.key for a in attempts) == sorted(plan) == sorted(a.key for a in run.attempts())
    assert len(made) == len(plan) + 1


def test_a_failed_attempt_is_tried_again_on_resume(desk: Environment, tmp_path: Path):
    agent, plan = Flaky(1), planned(desk, "train")
    run = RunFile.start_or_resume(tmp_path / "run.jsonl", {})
    assert summarised(evaluate(desk, lambda _: agent, plan, run=run, max_turns=2)).failed == 1
    again = evaluate(desk, lambda _: agent, plan, run=run, max_turns=2)
    assert summarised(again).failed == 0 and len(again) == len(plan) == len(run.attempts())


def test_another_run_in_the_same_file_is_refused(tmp_path: Path):
    RunFile.start_or_resume(tmp_path / "run.jsonl", {"agent": "a", "seed": 1})
    with pytest.raises(RunFileError, match=r"it holds another run \(agent differ\)"):
        RunFile.start_or_resume(tmp_path / "run.jsonl", {"agent": "b", "seed": 1})
    (tmp_path / "log.jsonl").write_text("[]\n")
    with pytest.raises(RunFileError, match="it is not a run"):
        RunFile.open(tmp_path / "log.jsonl")


def test_a_rollout_survives_the_file(desk: Environment):
    rollout = play(desk.episode(seed=1), desk.agent)
    assert Rollout.from_dict(rollout.to_dict()) == rollout


def test_scoring_again_gives_the_same_score_without_a_model(desk: Environment):
    for attempt in evaluate(desk, agent_source("embedded", desk), planned(desk, "train")):
        assert rescored(attempt, desk) == attempt
        assert rescored(attempt, desk).rollout.to_dict() == attempt.rollout.to_dict()


def test_pass_hat_is_the_chance_that_all_k_succeed():
    assert [pass_hat(3, 4, k) for k in (1, 2, 3, 4)] == [0.75, 0.5, 0.25, 0.0]


def test_a_summary_of_nothing_is_nan_and_no_crash():
    assert math.isnan(summarised([]).success_rate.value)


def test_episodes_bound_the_plan_and_trials_share_it(desk: Environment):
    assert len(planned(desk, "train", episodes=4, trials=2).conversation_ids) == 2
    with pytest.raises(AgentGymError, match="no test conversation has a goal"):
        planned(desk, "test")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("embeded", "did you mean 'embedded'"),
        ("scripted:dance", "is not known"),
        ("no_such:agent", "cannot be imported"),
    ],
)
def test_an_agent_that_does_not_exist_is_said_to_be_none(desk: Environment, spec: str, reason: str):
    with pytest.raises(OptionError, match=reason):
        agent_source(spec, desk)


def test_a_users_own_function_is_an_agent(desk: Environment, tmp_path: Path, monkeypatch):
    (tmp_path / "my_own_agent.py").write_text("def reply(messages, tools):\n    return 'It is done.'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    attempts = evaluate(desk, agent_source("my_own_agent:reply", desk), planned(desk, "train", episodes=1))
    assert any(m.text == "It is done." for m in attempts[0].rollout.messages)
