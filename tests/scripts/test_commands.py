"""The two commands and the wheel's check, with fakes in place of pip, the checkers and pytest."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import run_example
import run_tests
import wheel_check
from stamped_venv import CHECKOUT, STAMP, SetupFailed, run

COMMANDS = ["run_example.py", "run_tests.py"]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_script_parses_on_an_old_python(name):
    ast.parse((CHECKOUT / "scripts" / name).read_text(), feature_version=(3, 6))


@pytest.mark.parametrize("name", COMMANDS)
def test_an_old_python_gets_a_message_not_a_traceback(name):
    script = CHECKOUT / "scripts" / name
    old = f"import runpy, sys; sys.version_info = (3, 6, 1); runpy.run_path({str(script)!r})"
    done = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Agent Gym needs Python 3.11 or newer")
    assert "Traceback" not in done.stderr


def test_the_example_gets_its_arguments_and_gives_its_exit_code(monkeypatch):
    monkeypatch.setattr(run_example, "ready", lambda venv: None)
    monkeypatch.setattr(run_example, "run", lambda words: words[2:] == ["--seed", "3"] and 7)
    assert run_example.main(["--seed", "3"]) == 7


def test_somebody_elses_venv_is_left_alone(tmp_path):
    ours = tmp_path / ".venv"
    assert run_example.venv_folder(tmp_path) == ours
    ours.mkdir()
    assert run_example.venv_folder(tmp_path) != ours
    (ours / STAMP).touch()
    assert run_example.venv_folder(tmp_path) == ours


def test_a_command_passes_its_exit_code_on():
    assert run([sys.executable, "-c", "raise SystemExit(5)"]) == 5


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What run_tests ran, one line each; everything succeeds."""
    return fake_runs(monkeypatch, lambda words: 0)


def fake_runs(monkeypatch: pytest.MonkeyPatch, code: Callable[[str], int]) -> list[str]:
    ran: list[str] = []

    def fake(words: list[object], cwd: Path | None = None) -> int:
        ran.append(" ".join(Path(str(w)).name for w in words))
        return code(ran[-1])

    monkeypatch.setattr(run_tests, "ready", lambda venv: ran.append(f"ready {venv.folder.name}"))
    monkeypatch.setattr(run_tests, "run", fake)
    monkeypatch.setattr(run_tests, "check_wheel", lambda builder: fake(["wheel"]))
    return ran


def test_all_checks_run_and_pytest_comes_last_with_its_arguments(ran):
    assert run_tests.main(["--wheel", "tests/reward", "-k", "negated"]) == 0
    assert [line.split()[-1] for line in ran[:2]] == [".venv-tests", "wheel"]
    assert [word in " ".join(ran) for word in ("ruff format", "ruff check", "mypy", "lint-imports")] == [True] * 4
    assert "-m pytest" in ran[-1]
    assert ran[-1].endswith("reward -k negated")


def test_fast_is_pytest_alone(ran):
    run_tests.main(["--fast"])
    assert len(ran) == 2
    assert "pytest" in ran[1]


def test_a_failed_check_stops_nothing_but_fails_the_whole(monkeypatch, capsys):
    ran = fake_runs(monkeypatch, lambda words: int("ruff format" in words))
    assert run_tests.main([]) == 1
    assert "pytest" in ran[-1]
    assert "checks: format FAILED, lint ok, types ok, layers ok" in capsys.readouterr().out


def test_a_failed_test_gives_pytests_exit_code(monkeypatch):
    fake_runs(monkeypatch, lambda words: 3 if "pytest" in words else 0)
    assert run_tests.main([]) == 3


def test_a_check_that_cannot_be_set_up_has_failed(capsys):
    def cannot() -> int:
        raise SetupFailed("no network")

    assert run_tests.run_checks({"wheel": cannot, "lint": lambda: 0}) == ["wheel"]
    assert "no network" in capsys.readouterr().out


def test_without_integration_tests_it_says_so(ran, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(run_tests, "INTEGRATIONS", tmp_path / "none")
    assert run_tests.main(["--integrations"]) == 0
    assert "no integration tests" in capsys.readouterr().out
    assert ran == []


def test_each_integration_group_has_its_own_environment(ran, tmp_path, monkeypatch):
    for name in ("trl", "openenv"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "requirements.txt").write_text(name)
    monkeypatch.setattr(run_tests, "CHECKOUT", tmp_path)
    monkeypatch.setattr(run_tests, "INTEGRATIONS", tmp_path)
    assert run_tests.main(["--integrations"]) == 0
    assert ran == ["ready openenv", "python -m pytest openenv", "ready trl", "python -m pytest trl"]
    assert run_tests.main(["--integrations", "trl", "-x"]) == 0
    assert ran[4:] == ["ready trl", "python -m pytest trl -x"]


def test_an_unknown_integration_group_is_an_error_that_names_the_known(ran, capsys):
    assert run_tests.main(["--integrations", "nonesuch"]) == 2
    assert "'nonesuch'; there are:" in capsys.readouterr().err


def test_a_wheel_with_tests_in_it_or_without_its_type_marker_is_refused():
    good = ["agent_gym/__init__.py", "agent_gym/py.typed", "agent_gym-0.1.0.dist-info/METADATA"]
    assert wheel_check.misplaced(good) == []
    assert wheel_check.misplaced([*good, "tests/test_x.py"]) == ["tests/test_x.py"]
    assert wheel_check.misplaced([good[0], good[2]]) == ["agent_gym/py.typed"]


def test_the_constraints_pin_every_line_and_name_no_host():
    lines = (CHECKOUT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(line.count("==") == 1 and "/" not in line for line in pins)
    assert "torch==2.13.0" in pins
