"""`agent-gym doctor`: is this machine ready? One line a check: ok, warn or fail, and what to do."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from agent_gym.cli.options import AS_JSON
from agent_gym.cli.output import data_console, print_json
from agent_gym.cli.plain import plain
from agent_gym.cli.verb import PROBLEM

if TYPE_CHECKING:
    from agent_gym.cli.checks import Check

__all__ = ["doctor"]

_STYLE = {"ok": "green", "warn": "yellow", "fail": "red"}


def doctor(
    port: int = typer.Option(8000, min=1, max=65535, help="The port a server would listen on."),
    as_json: bool = AS_JSON,
) -> None:
    """Check Python, agent-gym.toml, packages, keys, network, disk and ports, and say what to do.

    Example: agent-gym doctor

    Exit codes: 0 ready, 1 something must be put right, 2 wrong usage. A warning is no problem by itself.
    """
    from agent_gym.cli.app import checked_config  # noqa: PLC0415  it knows all commands, this one among them
    from agent_gym.cli.checks import checks  # noqa: PLC0415  --help must not wait for it

    found = list(checks(port, checked_config))
    failed = any(check.state == "fail" for check in found)
    if as_json:
        print_json({"ready": not failed, "checks": [asdict(check) for check in found]})
    else:
        _show(data_console(), found)
    if failed:
        raise typer.Exit(PROBLEM)


def _show(console: Console, found: "list[Check]") -> None:
    table = Table(show_header=False, box=None)
    for check in found:
        said = plain(check.found) + (f"\n[dim]→ {plain(check.fix)}[/]" if check.fix else "")
        table.add_row(f"[{_STYLE[check.state]}]{check.state}[/]", check.name, said)
    console.print(table)
