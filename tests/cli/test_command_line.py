"""The command line: it shows an episode with its reasons, and fails in one clear line."""

import io
import subprocess
import sys

import pytest
from rich.console import Console
from typer.testing import CliRunner

from agent_gym import __version__
from agent_gym.cli import app as cli
from agent_gym.cli.plain import plain
from agent_gym.cli.show import show_corpus, show_fidelity, show_rollout, show_tools
from agent_gym.environment import play
from agent_gym.environment.rollout import rolled_out
from agent_gym.errors import AgentGymError
from agent_gym.fidelity import measure_tools
from tests.environment import clinic


def shown(show, *things: object) -> str:
    console = Console(file=io.StringIO(), width=200, emoji=False)
    show(console, *things)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_help_names_the_verbs_and_shows_an_example():
    assert "demo" in CliRunner().invoke(cli.program(), ["--help"]).output
    assert "agent-gym demo --folder" in CliRunner().invoke(cli.program(), ["demo", "--help"]).output


def test_the_version_is_the_packages():
    done = CliRunner().invoke(cli.program(), ["--version"])
    assert (done.exit_code, done.output) == (0, f"agent-gym {__version__}\n")


def test_demo_plays_an_episode_and_says_why(tmp_path):
    done = CliRunner().invoke(cli.program(), ["demo", "--agent", "embedded", "--folder", str(tmp_path / "logs")])
    assert done.exit_code == 0, done.output
    for word in ("An episode in the case of", "customer", "‹recorded, seen in", "Reward", "success:", "How true"):
        assert word in done.output
    assert (tmp_path / "logs" / "processed" / "conversations.jsonl").is_file()


def test_an_error_is_one_clear_line_and_exit_code_3(monkeypatch, capsys):
    def fail() -> None:
        raise AgentGymError("no file '[/bold]\x1b[31m' " + "and many words " * 20)

    monkeypatch.setattr(cli, "program", lambda _: fail)
    with pytest.raises(SystemExit) as left:
        cli.main()
    told = capsys.readouterr()
    assert (left.value.code, told.out, told.err.count("\n")) == (3, "", 1)
    assert told.err.startswith("error: no file '[/bold] [31m' and many words")


def test_an_unknown_option_is_a_usage_error():
    assert CliRunner().invoke(cli.program(), ["demo", "--nonesuch"]).exit_code == 2


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plain words", "plain words"),
        ("[bold]loud[/bold]", "[bold]loud[/bold]"),
        ("a\x1b[31mb\x07\x00c", "a [31mb  c"),
        ("right\u202eleft", "right left"),
        ("lone \ud800", "lone  "),
        ("two\nlines", "two\nlines"),
        (":smile: [/]", ":smile: [/]"),
    ],
)
def test_text_from_a_log_is_printed_as_it_is(text, printed):
    assert shown(lambda console: console.print(plain(text))) == printed + "\n"


def test_what_was_found_is_shown(desk):
    corpus, tools = shown(show_corpus, desk.corpus), shown(show_tools, desk.tool_mocker)
    assert "10 (10 to learn from, 0 held out)" in corpus
    assert "resolved 8, escalated 2" in corpus
    assert all(name in tools for name in clinic.NAMES)
    assert all(word in tools for word in ("reads", "writes", "hands over"))


def test_every_answer_stands_beside_its_own_source(desk):
    """A malformed action gets an answer too, but no tool gave it."""
    episode = desk.episode("c1")
    for action in ({}, clinic.calls(clinic.call("get_lab_report", 1)), *clinic.ACT):
        episode.step(action)
    lines = [line for line in shown(show_rollout, rolled_out(episode)).splitlines() if line.startswith("tool")]
    assert [line.rpartition("‹")[2].partition("›")[0] for line in lines[1:]] == [
        "unknown",
        "recorded, seen in c1",
        "recorded, seen in c1",
    ]
    assert "‹" not in lines[0]


def test_a_rollout_is_shown_with_its_reward(desk):
    text = shown(show_rollout, play(desk.episode("c1"), desk.agent))
    assert "ended: customer left" in text
    assert "Reward 1.00, success: yes" in text


def test_a_rollout_stopped_from_outside_says_so_and_has_no_reward(desk):
    text = shown(show_rollout, rolled_out(desk.episode("c1"), "the model [did not] answer"))
    assert "stopped from outside: the model [did not] answer" in text
    assert "Reward" not in text


def test_fidelity_is_shown_with_its_interval(desk):
    found = measure_tools(desk.tool_mocker, desk.corpus.train[:2])
    text = shown(show_fidelity, found, "of the desk")
    assert "4 calls of the desk" in text
    assert "n=4" in text


def test_the_list_of_commands_says_what_each_says_of_itself():
    for verb in cli.VERBS.values():
        assert (verb.command().__doc__ or "").split("\n\n")[0].split() == verb.help.split()


def test_the_list_of_commands_is_printed_without_importing_them():
    listed = (
        "import sys; sys.argv = ['agent-gym', '--help']; from agent_gym.cli import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        "heavy = ('scipy', 'agent_gym.reward', 'agent_gym.environment')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]" and "doctor" in done.stdout
