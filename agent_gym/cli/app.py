"""The `agent-gym` program: its verbs, and how errors leave it.

A verb's own module is imported when that verb is asked for, and what it works with when it runs: `--help` must not
wait for either.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NamedTuple

import typer
from rich.console import Console

from agent_gym import __version__
from agent_gym.cli.config import NAME, Parameter, by_option, found_upwards, read_config
from agent_gym.cli.plain import plain
from agent_gym.cli.verb import BAD_INPUT, EXIT_CODES, INTERRUPTED, as_command
from agent_gym.errors import AgentGymError

__all__ = ["VERBS", "checked_config", "main", "program"]


class Verb(NamedTuple):
    """Where a command is, and the first line of its help, known without importing it."""

    module: str
    function: str
    help: str

    def command(self) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"agent_gym.cli.{self.module}"), self.function)
        return found


VERBS = {
    "demo": Verb("demo", "demo", "See a conversation log become a gym: offline, without a key, in seconds."),
    "inspect": Verb(
        "inspect",
        "inspect",
        "Look at logs before anything is done with them: conversations, tools, outcomes, ratings, problems.",
    ),
    "convert": Verb(
        "convert",
        "convert",
        "Turn logs into the trace schema; what cannot be used goes to OUT.rejects.jsonl, with the reason.",
    ),
    "build": Verb("build", "build", "Mine logs once, and keep the result as one file."),
    "fidelity": Verb(
        "fidelity",
        "fidelity",
        "How far to trust the tools, the customers and the reward, on what they have not seen.",
    ),
    "eval": Verb("evaluate", "eval_", "Measure an agent on recorded cases."),
    "train": Verb("train", "train", "Train the embedded agent in a gym: no key, no GPU, a minute or two."),
    "play": Verb("play", "play", "Be the agent, or the customer, in a recorded case."),
    "report": Verb(
        "report", "report", "Write one HTML file to read and to pass on: it opens from disk, without a network."
    ),
    "export": Verb("export", "export_", "Write a dataset or a package for another trainer, with the gym's own split."),
    "serve": Verb(
        "serve",
        "serve",
        "Serve a gym: its tools over MCP to any agent product, or its episodes over OpenEnv to any trainer.",
    ),
    "doctor": Verb(
        "doctor", "doctor", "Check Python, agent-gym.toml, packages, keys, network, disk and ports, and say what to do."
    ),
}
_HELP = f"""Turn recorded conversations into a reinforcement-learning environment you can check before you trust it.

Start with: agent-gym demo. Then: agent-gym build LOGS -o support.gym, and agent-gym fidelity support.gym.

Options may stand in {NAME}, here or in a folder above: shared ones first, then a section a command, as [eval].
agent-gym doctor checks it. --install-completion teaches the shell the commands and their options.

{EXIT_CODES}"""


def program(asked: str | None = None) -> typer.Typer:
    """The program with the command that was asked for, and of the others their names; with all, if none was."""
    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help=_HELP)
    for name, verb in VERBS.items():
        if asked is None or asked == name:
            app.command(name)(as_command(name, verb.command(), frozenset(VERBS), _all_options))
        else:
            app.command(name, help=verb.help)(_elsewhere)
    app.callback(invoke_without_command=True)(_options)
    return app


def _all_options() -> set[str]:
    """The options of all commands, without their dashes."""
    return {name for parameters in _parameters().values() for name in by_option(parameters)}


def _parameters() -> dict[str, list[Parameter]]:
    commands: Any = typer.main.get_command(program())
    return {name: command.params for name, command in commands.commands.items()}


def checked_config() -> str:
    """What `doctor` says of the configuration that a command would use here; raises where it is wrong."""
    path = found_upwards(Path.cwd())
    if path is None:
        return f"no {NAME}, here or above: options come from the command line alone"
    config = read_config(path, VERBS)
    for command, parameters in _parameters().items():
        config.options(command, parameters, _all_options)
    said = [*config.shared, *(f"[{name}] {', '.join(options)}" for name, options in config.sections.items())]
    return f"{path} sets {'; '.join(said) or 'nothing'}"


def _elsewhere() -> None:
    """What stands for a command that was not asked for: it is listed, never run."""


def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    if version:
        typer.echo(f"agent-gym {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program. What goes wrong is one clear line: exit code 3 for bad input, 1 for a defect of ours."""
    debug = "--debug" in sys.argv
    sys.excepthook = _told_with_traceback if debug else _told
    signal.signal(signal.SIGINT, _stop)
    completing = "_AGENT_GYM_COMPLETE" in os.environ
    asked = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    try:
        program(None if completing else asked)()
    except BrokenPipeError:
        _leave_closed_pipe()
    except (AgentGymError, OSError) as error:
        if debug:
            traceback.print_exception(error)
        _say(str(error))
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _stop(number: int, frame: FrameType | None) -> None:
    """The first Ctrl-C lets the command save what it has, the second leaves at once."""
    del number, frame
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    raise KeyboardInterrupt


def _leave_closed_pipe() -> None:
    """Whoever read our output has left, as `head` does: no reason to complain, and nothing may be flushed to it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _told(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    del where
    _say(f"this should not happen ({kind.__name__}: {error}); run it again with --debug, and report what it shows")


def _told_with_traceback(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    # Without locals: frames of a remote model's SDK hold its key.
    traceback.print_exception(kind, error, where)


def _say(error: str) -> None:
    Console(stderr=True).print(f"[red]error:[/] {plain(error)}", highlight=False, emoji=False, soft_wrap=True)
