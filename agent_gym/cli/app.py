"""The `agent-gym` program: its verbs, and how errors leave it."""

import sys

import typer
from rich.console import Console

from agent_gym import __version__
from agent_gym.cli.build import build
from agent_gym.cli.convert import convert
from agent_gym.cli.demo import demo
from agent_gym.cli.doctor import doctor
from agent_gym.cli.evaluate import eval_
from agent_gym.cli.export import export_
from agent_gym.cli.fidelity import fidelity
from agent_gym.cli.inspect import inspect
from agent_gym.cli.play import play
from agent_gym.cli.report import report
from agent_gym.cli.show import plain
from agent_gym.cli.train import train
from agent_gym.errors import AgentGymError

__all__ = ["app", "main"]

# Locals stay out of tracebacks: frames of a remote model's SDK hold its key.
app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    help="Turn recorded conversations into a reinforcement-learning environment you can check before you trust it.",
)
app.command()(demo)
app.command()(inspect)
app.command()(convert)
app.command()(build)
app.command("eval")(eval_)
app.command()(train)
app.command()(play)
app.command()(fidelity)
app.command()(report)
app.command("export")(export_)
app.command()(doctor)


@app.callback(invoke_without_command=True)
def _options(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    if version:
        typer.echo(f"agent-gym {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program; what goes wrong on purpose is one clear line and exit code 3 (2 is wrong usage)."""
    try:
        app()
    except AgentGymError as error:
        Console(stderr=True).print(f"[red]error:[/] {plain(str(error))}", highlight=False, emoji=False, soft_wrap=True)
        sys.exit(3)
