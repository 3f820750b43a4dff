"""The program as a shell runs it: exit codes, pipes, a terminal, Ctrl-C, completion, and nothing but data on stdout."""

import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

from tests.environment import clinic

PROGRAM = [sys.executable, "-c", "from agent_gym.cli import main; main()"]
CHECKOUT = Path(__file__).resolve().parents[2]
PLAIN = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR", "TERM")}
HOME = {**PLAIN, "PYTHONPATH": str(CHECKOUT), "AGENT_GYM_OFFLINE": "1", "COLUMNS": "80"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / "log.jsonl").write_bytes(b"\n".join(orjson.dumps(trace) for trace in clinic.traces()))
    return home


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *words], cwd=folder, env=HOME | environment, capture_output=True, text=True, check=False
    )


def test_data_goes_to_stdout_and_progress_to_stderr(folder: Path):
    done = run(folder, "eval", "log.jsonl", "--agent", "replay", "--split", "all", "-k", "1", "--json")
    assert (done.returncode, orjson.loads(done.stdout)["episodes"] > 0) == (0, True)
    assert "read 10 conversations" in done.stderr and "\x1b" not in done.stderr


def test_quiet_says_nothing_but_the_data(folder: Path):
    done = run(folder, "build", "log.jsonl", "-o", "quiet.gym", "--quiet", "--json")
    assert (done.returncode, done.stderr, orjson.loads(done.stdout)["conversations"]) == (0, "", 10)


def test_a_dry_run_writes_nothing(folder: Path):
    done = run(folder, "build", "log.jsonl", "-o", "dry.gym", "--dry-run", "--json")
    assert orjson.loads(done.stdout)["dry_run"] and not (folder / "dry.gym").exists()


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["eval", "nowhere.gym"], 3, "error: "),
        (["build", "log.jsonl"], 2, "--output"),
        (["eval", "log.jsonl", "--agent", "embeded"], 3, "did you mean 'embedded'"),
        (["nonesuch"], 2, "No such command"),
    ],
)
def test_what_goes_wrong_has_its_code_and_no_traceback(folder: Path, words: list[str], code: int, told: str):
    done = run(folder, *words)
    assert (done.returncode, done.stdout) == (code, "") and told in done.stderr and "Traceback" not in done.stderr


def test_the_traceback_is_there_for_who_asks(folder: Path):
    done = run(folder, "eval", "nowhere.gym", "--debug")
    assert done.returncode == 3 and "Traceback (most recent call last)" in done.stderr


def test_a_defect_is_one_line_too():
    broken = (
        "import sys; sys.argv = ['agent-gym', 'doctor']; from agent_gym.cli import app; app.program = None; app.main()"
    )
    done = subprocess.run([sys.executable, "-c", broken], env=HOME, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "run it again with --debug" in done.stderr


@pytest.mark.parametrize("words", [["inspect", "log.jsonl"], ["inspect", "log.jsonl", "--json"], ["--help"]])
def test_a_closed_pipe_is_no_reason_to_complain(folder: Path, words: list[str]):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(
            [*PROGRAM, *words], cwd=folder, env=HOME, stdout=closed, stderr=subprocess.PIPE, check=False
        )
    assert done.stderr.decode().replace("read 10 conversations\n", "") == ""


def test_the_shell_is_told_commands_and_options():
    asked = {"_AGENT_GYM_COMPLETE": "complete_bash", "COMP_WORDS": "agent-gym ev", "COMP_CWORD": "1"}
    assert "eval" in _completed(asked)
    asked |= {"COMP_WORDS": "agent-gym eval --dry", "COMP_CWORD": "2"}
    assert "--dry-run" in _completed(asked)


def _completed(asked: dict[str, str]) -> list[str]:
    named = "import sys; sys.argv = ['agent-gym']; from agent_gym.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", named], env=HOME | asked, capture_output=True, text=True, check=False)
    return done.stdout.split()


def in_terminal(
    folder: Path, *words: str, stop_at: str = "", again_after: float | None = None, **environment: str
) -> tuple[int, str]:
    """Run in a pseudo-terminal; where it has said `stop_at`, Ctrl-C, and again after so many seconds of silence.

    A signal that comes between a prompt and the reading of it waits for the next key: a person would press it again.
    """
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(PROGRAM[0], [*PROGRAM, *words], HOME | {"TERM": "xterm"} | environment)
    said, stopped = b"", not stop_at
    while True:
        if not select.select([terminal], [], [], again_after if stopped else None)[0]:
            os.kill(child, signal.SIGINT)
            continue
        try:
            heard = os.read(terminal, 4096)
        except OSError:  # what Linux gives at the end of a terminal
            break
        if not heard:
            break
        said += heard
        if not stopped and stop_at.encode() in said:
            stopped = True
            os.kill(child, signal.SIGINT)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()


def test_a_terminal_gets_colours_unless_it_wants_none(folder: Path):
    code, said = in_terminal(folder, "doctor")
    assert code == 0 and "\x1b[32m" in said
    assert "\x1b[32m" not in in_terminal(folder, "doctor", NO_COLOR="1")[1]


def test_the_first_ctrl_c_keeps_what_was_played_and_the_told_command_goes_on(folder: Path):
    words = ("eval", "log.jsonl", "--agent", "embedded", "--split", "all", "-k", "400", "-o", "run.jsonl")
    code, said = in_terminal(folder, *words, stop_at="success")
    told = " ".join(said.split()).rpartition("to go on: agent-gym ")[2]
    assert code == 130 and told.split() == list(words)
    kept = len((folder / "run.jsonl").read_bytes().splitlines())
    assert kept > 1
    again = run(folder, "eval", "log.jsonl", "--split", "all", "-k", "400", "-o", "run.jsonl", "--dry-run", "--json")
    assert orjson.loads(again.stdout)["write"] == "run.jsonl"


def test_ctrl_c_in_play_ends_the_episode_and_shows_the_reward(folder: Path):
    code, said = in_terminal(folder, "play", "log.jsonl", "--as", "agent", stop_at="you> ", again_after=20.0)
    assert code == 0 and "Reward" in said


def test_the_second_ctrl_c_leaves_at_once():
    twice = (
        "import os, signal; from agent_gym.cli import app\n"
        "signal.signal(signal.SIGINT, app._stop)\n"
        "try: os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
        "except KeyboardInterrupt: print('saving', flush=True)\n"
        "os.kill(os.getpid(), signal.SIGINT); signal.pause()\n"
    )
    done = subprocess.run([sys.executable, "-c", twice], env=HOME, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "saving\n")
