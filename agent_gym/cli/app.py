"""The `agent-gym` program: its verbs, and how errors leave it.

A verb's own module is imported when that verb is asked for: `--help` must not wait for all of them.
"""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import typer
from rich.console import Console

from agent_gym import __version__
from agent_gym.cli.plain import plain
from agent_gym.errors import AgentGymError

__all__ = ["VERBS", "main", "program"]


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
    "doctor": Verb("doctor", "doctor", "Check Python, packages, keys, network, disk and ports, and say what to do."),
}


def program(asked: str | None = None) -> typer.Typer:
    """The program with the command that was asked for, and of the others their names; with all, if none was."""
    # Locals stay out of tracebacks: frames of a remote model's SDK hold its key.
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_show_locals=False,
        help="Turn recorded conversations into a reinforcement-learning environment you can check before you trust it.",
    )
    for name, verb in VERBS.items():
        if asked is None or asked == name:
            app.command(name)(verb.command())
        else:
            app.command(name, help=verb.help)(_elsewhere)
    app.callback(invoke_without_command=True)(_options)
    return app


def _elsewhere() -> None:
    """What stands for a command that was not asked for: it is listed, never run."""


def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    if version:
        typer.echo(f"agent-gym {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program; what goes wrong on purpose is one clear line and exit code 3 (2 is wrong usage)."""
    completing = "_AGENT_GYM_COMPLETE" in os.environ
    asked = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    try:
        program(None if completing else asked)()
    except AgentGymError as error:
        Console(stderr=True).print(f"[red]error:[/] {plain(str(error))}", highlight=False, emoji=False, soft_wrap=True)
        sys.exit(3)
