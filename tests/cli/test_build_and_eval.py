"""`build` and `eval`: data on stdout, words on stderr, and a run that survives Ctrl-C."""

from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli import evaluating
from agent_gym.cli.app import program
from agent_gym.errors import AgentGymError
from tests.environment import clinic


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logs") / "clinic.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(program(), [str(word) for word in words])


def test_build_writes_a_gym_and_says_what_is_in_it(log: Path, tmp_path: Path):
    done = run("build", log, "-o", tmp_path / "x.gym", "--test-fraction", 0.25, "--json")
    told = orjson.loads(done.stdout)
    assert done.exit_code == 0 and (tmp_path / "x.gym").is_file()
    assert told["conversations"] == told["splits"]["train"] + told["splits"]["test"] == len(clinic.traces())


def test_building_twice_gives_the_same_digest(log: Path, tmp_path: Path):
    one, two = (orjson.loads(run("build", log, "-o", tmp_path / name, "--json").stdout) for name in ("1", "2"))
    assert one["digest"] == two["digest"]


def test_eval_prints_what_scripts_read(log: Path, tmp_path: Path):
    run("build", log, "-o", tmp_path / "x.gym", "--test-fraction", 0.25)
    done = run("eval", tmp_path / "x.gym", "--agent", "replay", "-k", 2, "--json")
    told = orjson.loads(done.stdout)
    assert {"episodes", "failed", "success_rate", "mean_reward", "pass^k"} <= told.keys()
    assert told["episodes"] == 2 * told["scenarios"] > 0 and sorted(told["pass^k"]) == ["1", "2"]


def test_eval_takes_trace_files_too_and_shows_a_table(log: Path):
    done = run("eval", log, "--agent", "scripted:do-nothing", "--split", "all", "-k", 1)
    assert done.exit_code == 0 and "pass^1" in done.stdout and "0.0%" in done.stdout


def test_a_run_can_be_scored_again_without_its_agent(log: Path, tmp_path: Path):
    first = run("eval", log, "--agent", "embedded", "-n", 4, "-k", 2, "-o", tmp_path / "run.jsonl", "--json")
    again = run("eval", log, "--rescore", tmp_path / "run.jsonl", "--json")
    assert orjson.loads(first.stdout) == orjson.loads(again.stdout)


def test_ctrl_c_keeps_what_was_played_and_says_how_to_go_on(log: Path, tmp_path: Path, monkeypatch):
    def stopped(*_: object, run: object, on_attempt: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluating, "evaluate", stopped)
    done = run("eval", log, "-o", tmp_path / "run.jsonl", "-k", 1)
    assert done.exit_code == 130
    assert "stopped: 0 episodes are in" in done.stderr and "; to go on: agent-gym" in done.stderr


def test_a_gym_and_a_log_cannot_be_mixed(log: Path, tmp_path: Path):
    run("build", log, "-o", tmp_path / "x.gym")
    done = run("eval", tmp_path / "x.gym", log)
    assert isinstance(done.exception, AgentGymError) and "cannot be added to a gym file" in str(done.exception)


def test_a_record_that_cannot_be_used_is_counted_and_shown(log: Path, tmp_path: Path):
    (tmp_path / "bad.jsonl").write_bytes(log.read_bytes() + b'\n{"conversation_id": "x"}\n')
    done = run("build", tmp_path / "bad.jsonl", "-o", tmp_path / "x.gym")
    assert done.exit_code == 0 and "left out 1 records" in done.stderr and "bad.jsonl:" in done.stderr
