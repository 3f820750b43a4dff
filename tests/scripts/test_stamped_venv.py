"""The stamp: when an environment is made, when it is left alone, and what a person is told when it fails."""

import subprocess
from pathlib import Path

import pytest
import stamped_venv
from stamped_venv import STAMP, SetupFailed, StampedVenv, digest, ready


@pytest.fixture
def wanted(tmp_path: Path) -> StampedVenv:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("numpy==1.0\n")
    return StampedVenv(tmp_path / ".venv", ("-e", "."), (constraints,))


class Builder:
    """Stands for venv and pip: makes the interpreter's file and counts how often it was asked."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, wanted: StampedVenv) -> None:
        self.runs += 1
        wanted.python.parent.mkdir()
        wanted.python.touch()


def test_the_second_run_builds_nothing(wanted, capsys):
    build = Builder()
    ready(wanted, build)
    assert "Setting up .venv" in capsys.readouterr().err
    ready(wanted, build)
    assert build.runs == 1
    assert capsys.readouterr().err == ""


def test_changed_constraints_build_it_again_from_nothing(wanted):
    build = Builder()
    ready(wanted, build)
    (wanted.folder / "leftover").touch()
    wanted.inputs[0].write_text("numpy==2.0\n")
    ready(wanted, build)
    assert build.runs == 2
    assert not (wanted.folder / "leftover").exists()


def test_the_stamp_depends_on_requirements_folder_python_and_platform(wanted, monkeypatch):
    others = [
        digest(StampedVenv(wanted.folder, ("-e", ".[dev]"), wanted.inputs)),
        digest(StampedVenv(wanted.folder.with_name("moved"), wanted.requirements, wanted.inputs)),
        digest(wanted, platform="another"),
    ]
    first = digest(wanted)
    monkeypatch.setattr("sys.version", "3.99.0")
    assert len({first, digest(wanted), *others}) == 5


def test_an_environment_that_lost_its_python_is_built_again(wanted):
    build = Builder()
    ready(wanted, build)
    wanted.python.unlink()
    ready(wanted, build)
    assert build.runs == 2


@pytest.mark.parametrize("ending", [KeyboardInterrupt, SetupFailed])
def test_a_setup_that_did_not_finish_is_not_trusted(wanted, ending):
    def broken(venv: StampedVenv) -> None:
        Builder()(venv)
        raise ending("stopped")

    with pytest.raises(ending):
        ready(wanted, broken)
    assert (wanted.folder / STAMP).read_text() != digest(wanted)
    build = Builder()
    ready(wanted, build)
    assert build.runs == 1


def test_a_folder_that_cannot_be_made_is_told_plainly(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SetupFailed, match="cannot make"):
        ready(StampedVenv(tmp_path / "file" / ".venv", (), ()))


def test_without_ensurepip_the_message_names_the_debian_package(wanted, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SetupFailed, match="apt install python3-venv"):
        ready(wanted)


def pip_that_fails(monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    monkeypatch.setattr("venv.EnvBuilder.create", lambda self, folder: None)
    monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 1, output))


def test_without_a_network_the_message_says_so_and_how_to_retry(wanted, monkeypatch):
    pip_that_fails(monkeypatch, "WARNING: Retrying ... NewConnectionError\nERROR: No matching distribution")
    with pytest.raises(SetupFailed, match=r"could not reach .* again to retry"):
        ready(wanted)


def test_a_failing_pip_shows_its_last_words_and_leaves_no_stamp(wanted, monkeypatch):
    pip_that_fails(monkeypatch, "\n".join(f"line {n}" for n in range(100)))
    with pytest.raises(SetupFailed, match="could not install") as failure:
        ready(wanted)
    told = failure.value.told().splitlines()
    assert told[-2] == "  line 99"
    assert len(told) < 30
    assert (wanted.folder / STAMP).read_text() != digest(wanted)


def test_a_failing_ensurepip_is_told_without_a_traceback(wanted, monkeypatch):
    def create(self: object, folder: Path) -> None:
        raise subprocess.CalledProcessError(1, "ensurepip", b"No space left")

    monkeypatch.setattr("venv.EnvBuilder.create", create)
    with pytest.raises(SetupFailed, match="ensurepip failed") as failure:
        ready(wanted)
    assert "No space left" in failure.value.told()


def test_the_callers_python_path_does_not_reach_the_environment(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("KEPT", "yes")
    found = stamped_venv.variables(HOME="/h")
    assert (found["KEPT"], found["HOME"]) == ("yes", "/h")
    assert not {"PYTHONPATH", "PIP_USER"} & set(found)


@pytest.mark.parametrize(("ending", "code"), [(SetupFailed("no pip"), 1), (KeyboardInterrupt(), 130)])
def test_a_script_that_cannot_go_on_ends_with_a_message(ending, code, capsys):
    def main(arguments: list[str]) -> int:
        raise ending

    with pytest.raises(SystemExit) as end:
        stamped_venv.as_command(main)
    assert end.value.code == code
    assert capsys.readouterr().err.count("\n") == 1
