"""`train`: a policy that `eval` takes, before and after for scripts, and a run that survives Ctrl-C."""

import sys
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli.app import program
from agent_gym.errors import AgentGymError
from agent_gym.training import Learner, learner
from tests.environment import clinic

QUICK = ("--rounds", 1, "--cases", 3)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gym")
    (folder / "clinic.jsonl").write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    run("build", folder / "clinic.jsonl", "-o", folder / "x.gym", "--test-fraction", 0.25)
    return folder / "x.gym"


def run(*words: object) -> Result:
    return CliRunner().invoke(program(), [str(word) for word in words])


def test_train_prints_before_and_after_for_scripts(built: Path, tmp_path: Path):
    done = run("train", built, "-o", tmp_path / "p.json", *QUICK, "--json")
    told = orjson.loads(done.stdout)
    assert done.exit_code == 0 and {"mean_reward", "success_rate"} <= told["before"].keys() & told["after"].keys()


def test_every_round_tells_which_hacks_pay(built: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(learner, "hack_shares", lambda *_: {"echo": 0.25, "negation": 0.5, "do nothing": 0.0})
    done = run("train", built, "-o", tmp_path / "p.json", *QUICK)
    assert " ".join(done.stderr.split()).count("hacks that pay: 50% negation, 25% echo") == 2


def test_who_learned_nothing_is_told_what_helps_and_else_what_changed(built: Path, tmp_path: Path, monkeypatch):
    kept = run("train", built, "-o", tmp_path / "p.json", *QUICK).stdout
    assert "more conversations helps" in " ".join(kept.split()) and "what changed most" not in kept
    monkeypatch.setattr(Learner, "kept", property(lambda self: self.history[-1]))
    moved = run("train", built, "-o", tmp_path / "q.json", *QUICK).stdout
    assert "what changed most" in moved and "more conversations" not in moved


def test_without_the_extra_the_curve_is_an_svg_and_the_extra_is_named(built: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = run("train", built, "-o", tmp_path / "p.json", *QUICK)
    assert (tmp_path / "p.svg").read_text().startswith("<svg") and not (tmp_path / "p.png").exists()
    assert "agent-gym[plot]" in done.stderr


def test_with_the_extra_the_curve_is_a_png(built: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")
    done = run("train", built, "-o", tmp_path / "p.json", *QUICK)
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG") and "p.png" in done.stderr


def test_a_trained_policy_can_be_evaluated(built: Path, tmp_path: Path):
    run("train", built, "-o", tmp_path / "p.json", *QUICK)
    done = run("eval", built, "--agent", tmp_path / "p.json", "-k", 1, "--json")
    assert done.exit_code == 0 and orjson.loads(done.stdout)["episodes"] > 0


def test_ctrl_c_keeps_the_policy_and_the_same_command_goes_on(built: Path, tmp_path: Path, monkeypatch):
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Learner, "practise", stopped)
        done = run("train", built, "-o", tmp_path / "p.json", *QUICK)
    assert done.exit_code == 130 and "holds the best policy so far; to go on: agent-gym" in done.stderr
    assert run("train", built, "-o", tmp_path / "p.json", *QUICK, "--json").exit_code == 0


def test_a_gym_without_held_out_cases_is_told_before_any_training(tmp_path: Path):
    log = tmp_path / "clinic.jsonl"
    log.write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    done = run("train", log, "-o", tmp_path / "p.json", "--test-fraction", 0)
    assert isinstance(done.exception, AgentGymError) and "--test-fraction" in str(done.exception)
