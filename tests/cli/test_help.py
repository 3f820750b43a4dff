"""The help: an example and exit codes in each, options spelled alike, and no waiting for what a command needs."""

import inspect
import subprocess
import sys
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from agent_gym.cli.app import VERBS, program
from agent_gym.cli.exporting import ALL_KINDS
from agent_gym.evaluation.agents import AGENT_SPECS
from agent_gym.training import Options

COMMANDS: dict[str, Any] = typer.main.get_command(program()).commands  # type: ignore[attr-defined]  # it is a group
HEAVY = ("scipy", "numpy", "google", "agent_gym.environment", "agent_gym.trace_parser", "agent_gym.llm")


def told(command: str) -> str:
    return " ".join(CliRunner().invoke(program(command), [command, "--help"]).output.replace("│", " ").split())


@pytest.mark.parametrize("command", VERBS)
def test_every_command_shows_an_example_and_its_exit_codes(command: str):
    assert f"Example: agent-gym {command}" in told(command) and "Exit codes: 0 " in told(command)


@pytest.mark.parametrize("command", VERBS)
def test_help_does_not_wait_for_what_the_command_needs(command: str):
    shown = (
        f"import sys; sys.argv = ['agent-gym', '{command}', '--help']; from agent_gym.cli import main\n"
        f"try: main()\nexcept SystemExit: pass\nprint([m for m in sys.modules if m.startswith({HEAVY!r})])"
    )
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def names(parameter: str) -> set[tuple[str, ...]]:
    """The ways in which commands spell one option."""
    found = [p for command in COMMANDS.values() for p in command.params if p.name == parameter]
    assert found
    return {tuple(sorted(p.opts)) for p in found}


def test_an_option_is_spelled_alike_in_every_command():
    assert names("output") == {("--output", "-o")} and names("quiet") == {("--quiet", "-q")}
    for parameter in ("seed", "workers", "policy", "test_fraction", "dry_run", "config", "debug"):
        assert names(parameter) == {(f"--{parameter.replace('_', '-')}",)}
    assert names("as_json") == {("--json",)}


def test_data_can_be_had_as_json_wherever_there_is_any():
    without = {name for name, command in COMMANDS.items() if not any(p.name == "as_json" for p in command.params)}
    assert without == {"serve"}


def test_what_writes_or_sends_can_be_tried_dry():
    dry = {name for name, command in COMMANDS.items() if any(p.name == "dry_run" for p in command.params)}
    assert dry == {"convert", "build", "fidelity", "eval", "train", "report", "export"}


def test_the_light_help_names_what_the_heavy_parts_know():
    assert all(spec in told("eval") for spec in AGENT_SPECS)
    assert all(kind in told("export") for kind in ALL_KINDS)
    defaults = inspect.signature(VERBS["train"].command()).parameters
    assert all(defaults[name].default.default == getattr(Options(), name) for name in ("rounds", "cases"))
