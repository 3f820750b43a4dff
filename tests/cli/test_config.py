"""`agent-gym.toml`: every option can stand there, the command line wins, and a mistake is told with its line."""

from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli.app import checked_config, program
from agent_gym.cli.config import found_upwards
from agent_gym.errors import ConfigError
from tests.environment import clinic


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the clinic's log, where commands run."""
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(program(str(words[0])), [str(word) for word in words])


def planned(*words: object) -> str:
    """What a dry run of `eval` would play."""
    done = run("eval", "log.jsonl", "--split", "all", "--dry-run", "--json", *words)
    assert done.exit_code == 0, (done.output, done.exception)
    return str(orjson.loads(done.stdout)["play"])


def test_an_option_of_a_commands_section_is_taken(home: Path):
    (home / "agent-gym.toml").write_text('[eval]\nagent = "replay"\nk = 3\nn = 6\n')
    assert planned() == "6 episodes, replay in 2 cases"


def test_what_the_command_line_says_wins(home: Path):
    (home / "agent-gym.toml").write_text('[eval]\nagent = "replay"\nk = 3\nn = 6\n')
    assert planned("-k", 1, "--agent", "embedded") == "6 episodes, embedded in 6 cases"


def test_a_shared_option_holds_for_every_command_that_has_it(home: Path):
    (home / "agent-gym.toml").write_text("n = 2\nk = 1\nrounds = 4\n")
    assert planned().startswith("2 episodes")


def test_the_file_is_found_in_a_folder_above_and_paths_are_relative_to_it(home: Path, monkeypatch: pytest.MonkeyPatch):
    (home / "agent-gym.toml").write_text('policy = "rules.md"\n[eval]\nk = 1\nn = 1\n')
    (home / "rules.md").write_text("Be kind.")
    (home / "below").mkdir()
    monkeypatch.chdir(home / "below")
    assert found_upwards(Path.cwd()) == home / "agent-gym.toml"
    assert run("eval", "../log.jsonl", "--split", "all", "--dry-run").exit_code == 0


def test_another_file_can_be_named(home: Path):
    (home / "agent-gym.toml").write_text("this is not even TOML")
    (home / "other.toml").write_text("[eval]\nk = 1\nn = 1\n")
    assert planned("--config", "other.toml").startswith("1 episodes")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[eval]\nk = 2\nagnet = 'x'\n", ":3: agent-gym eval has no option 'agnet'; did you mean 'agent'?"),
        ("sede = 1\n", ":1: no command has an option 'sede'; did you mean 'seed'?"),
        ("\n[evil]\nk = 1\n", ":2: there is no command 'evil'; did you mean 'eval'?"),
        ("[eval]\nk = 'many'\n", ":2: k = 'many': "),
        ("[eval]\nk = [1]\n", ":2: k takes one value, and a list is given"),
        ("[eval]\nk = {a = 1}\n", ":2: k is no text, number, true or false, nor a list of such"),
        ("[eval\n", ":1: it is no TOML"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(home: Path, text: str, told: str):
    (home / "agent-gym.toml").write_text(text)
    done = run("eval", "log.jsonl", "--dry-run")
    assert isinstance(done.exception, ConfigError) and f"agent-gym.toml{told}" in str(done.exception)


def test_doctor_reads_the_whole_file(home: Path):
    assert "no agent-gym.toml" in checked_config()
    (home / "agent-gym.toml").write_text("seed = 1\n[train]\nrounds = 2\n")
    assert "sets seed; [train] rounds" in checked_config()
    (home / "agent-gym.toml").write_text("[train]\nround = 2\n")
    with pytest.raises(ConfigError, match="did you mean 'rounds'"):
        checked_config()
