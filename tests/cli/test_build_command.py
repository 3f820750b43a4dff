"""`build`: what it writes does not depend on how it was done, and what goes wrong leaves nothing half-made."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli import building as build_command
from agent_gym.cli import counting
from agent_gym.cli.app import program
from agent_gym.cli.sources import traces_of
from agent_gym.environment import stored
from agent_gym.errors import AgentGymError
from agent_gym.reward import RewardFunction
from agent_gym.store import writing
from agent_gym.tool_mocker import mocker
from agent_gym.types import Trace
from tests.environment import clinic


def run(*words: object) -> Result:
    return CliRunner().invoke(program(), [str(word) for word in words])


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """The clinic's log in two files."""
    rows = [orjson.dumps(trace) for trace in clinic.traces()]
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path, some in zip(paths, (rows[:6], rows[6:]), strict=True):
        path.write_bytes(b"\n".join(some))
    return paths


def content(path: Path) -> list[object]:
    """All that a gym holds but where it came from."""
    with closing(sqlite3.connect(path)) as database:
        sections = database.execute("SELECT * FROM sections WHERE name <> 'manifest' ORDER BY name").fetchall()
        tables = ("traces", "parts", "shelves", "blocks")
        return [sections, *(database.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables)]


def test_the_gym_is_the_same_with_any_number_of_workers(logs, tmp_path):
    for workers in (1, 2):
        assert run("build", *logs, "-o", tmp_path / f"{workers}.gym", "--workers", workers).exit_code == 0
    assert content(tmp_path / "1.gym") == content(tmp_path / "2.gym")


def test_the_gym_is_the_same_whoever_helped(logs, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "WORTH_HELP", 0)
    monkeypatch.setattr(mocker, "WORTH_A_PROCESS", 0)
    for workers in (1, 3):
        assert run("build", *logs, "-o", tmp_path / f"{workers}.gym", "--workers", workers).exit_code == 0
    assert content(tmp_path / "1.gym") == content(tmp_path / "3.gym")


def test_ctrl_c_ends_the_processes_that_help(logs, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "WORTH_HELP", 0)
    monkeypatch.setattr(RewardFunction, "keep", interrupted)
    assert run("build", *logs, "-o", tmp_path / "x.gym", "--workers", 2).exit_code == 130
    assert active_children() == []


def test_long_phases_say_how_far_they_are(logs, tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "_EVERY", 0.0)
    told = run("build", *logs, "-o", tmp_path / "x.gym", "--workers", 1).stderr
    for phase in ("mining the tools", "validating the tools", "learning what success looks like"):
        assert re.search(rf"{phase}: \d+ of \d+, ", told), phase


def test_what_is_added_later_might_have_been_there_from_the_start(logs, tmp_path):
    run("build", *logs, "-o", tmp_path / "all.gym", "--seed", 3, "--test-fraction", 0.25)
    run("build", logs[0], "-o", tmp_path / "x.gym", "--seed", 3, "--test-fraction", 0.25)
    assert run("build", "--add", logs[1], "-o", tmp_path / "x.gym").exit_code == 0
    assert content(tmp_path / "x.gym") == content(tmp_path / "all.gym")


def test_after_ctrl_c_the_same_command_goes_on(logs, tmp_path, monkeypatch):
    run("build", *logs, "-o", tmp_path / "straight.gym")
    with monkeypatch.context() as patch:
        patch.setattr(RewardFunction, "keep", interrupted)
        stopped = run("build", *logs, "-o", tmp_path / "x.gym")
    assert stopped.exit_code == 130 and "to go on: agent-gym " in stopped.stderr and not (tmp_path / "x.gym").exists()
    monkeypatch.setattr(build_command, "traces_of", unwanted)
    monkeypatch.setattr("agent_gym.environment.stored.ToolMocker.fit", unwanted)
    assert run("build", *logs, "-o", tmp_path / "x.gym").exit_code == 0
    assert content(tmp_path / "x.gym") == content(tmp_path / "straight.gym")
    assert sorted(path.name for path in tmp_path.glob(".*")) == []


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def unwanted(*_: object, **__: object) -> None:
    raise AssertionError("this was done before")


def test_another_command_does_not_go_on_with_what_was_left(logs, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(RewardFunction, "keep", interrupted)
        run("build", *logs, "-o", tmp_path / "x.gym")
    run("build", logs[0], "-o", tmp_path / "x.gym")
    run("build", logs[0], "-o", tmp_path / "y.gym")
    assert content(tmp_path / "x.gym") == content(tmp_path / "y.gym")


def test_a_source_that_changes_meanwhile_is_noticed(logs, tmp_path, monkeypatch):
    def growing(read: Callable[..., list[Trace]]) -> Callable[..., list[Trace]]:
        def read_and_grow(sources: list[Path], console: object) -> list[Trace]:
            found = read(sources, console)
            sources[0].write_bytes(sources[0].read_bytes() + b"\n\n")
            return found

        return read_and_grow

    monkeypatch.setattr(build_command, "traces_of", growing(traces_of))
    done = run("build", *logs, "-o", tmp_path / "x.gym")
    assert isinstance(done.exception, AgentGymError) and "changed while it was being read" in str(done.exception)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.jsonl", "two.jsonl"]


def test_two_builds_of_one_file_are_not_done_at_once(logs, tmp_path):
    with writing(tmp_path / "x.gym"):
        done = run("build", *logs, "-o", tmp_path / "x.gym")
    assert isinstance(done.exception, AgentGymError) and "another build is writing it" in str(done.exception)


def test_only_a_gym_that_says_how_it_was_made_can_be_added_to(logs, desk, tmp_path):
    desk.save(tmp_path / "x.gym")
    done = run("build", "--add", logs[1], "-o", tmp_path / "x.gym")
    assert "does not say how it was made" in str(done.exception)
    assert "no such file" in str(run("build", "--add", logs[1], "-o", tmp_path / "none.gym").exception)
    assert run("build", "-o", tmp_path / "x.gym").exit_code == 2
