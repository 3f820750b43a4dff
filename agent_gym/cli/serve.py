"""`agent-gym serve`: a gym in, its episodes or its tools behind a protocol out."""

from pathlib import Path
from typing import Literal

import typer

from agent_gym.cli.options import QUIET, SOURCES_HELP
from agent_gym.cli.verb import INTERRUPTED

__all__ = ["serve"]


def serve(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    protocol: Literal["mcp", "openenv"] = typer.Option(
        "mcp", help="mcp: the tools, for agent products. openenv: whole episodes, for trainers."
    ),
    transport: Literal["stdio", "http"] = typer.Option(
        "http", help="stdio: for an MCP client that starts this command."
    ),
    host: str = typer.Option("127.0.0.1", help="Another address than this machine's own needs --token."),
    port: int = typer.Option(8000, min=1, max=65535, help="The port of --transport http."),
    token: str | None = typer.Option(
        None, envvar="AGENT_GYM_TOKEN", help="What every request must bear: Authorization: Bearer TOKEN."
    ),
    unsafe_open: bool = typer.Option(False, "--unsafe-open", help="Listen on another address without a token."),
    allow_host: list[str] = typer.Option([], help="Another name this server goes by, where it has no token."),
    max_sessions: int = typer.Option(512, min=1, help="How many sessions may be open at once."),
    idle_seconds: float = typer.Option(600.0, min=0.1, help="A session that sends nothing for so long is closed."),
    conversation: str | None = typer.Option(
        None, help="For mcp: answer as in this recorded conversation, where it has answers."
    ),
    seed: int = typer.Option(0, help="For mcp: decides what is left to chance."),
    quiet: bool = QUIET,
) -> None:
    """Serve a gym: its tools over MCP to any agent product, or its episodes over OpenEnv to any trainer.

    Example: agent-gym serve support.gym --protocol openenv --port 8000

    Over MCP, every client has a world of its own: over stdio by itself, over HTTP by the address it uses,
    http://127.0.0.1:8000/mcp?world=NAME. Over OpenEnv, every WebSocket at /ws plays episodes of its own.
    """
    from agent_gym.cli.serving import Protocol, run_serve  # noqa: PLC0415  --help must not wait for it
    from agent_gym.server.front import Address  # noqa: PLC0415  the same
    from agent_gym.server.limits import Limits  # noqa: PLC0415  the same

    address = Address(host, port, token, tuple(allow_host), unsafe_open)
    limits = Limits(sessions=max_sessions, idle_seconds=idle_seconds)
    try:
        run_serve(sources, Protocol(protocol, transport, conversation, seed), address, limits, quiet=quiet)
    except KeyboardInterrupt:
        # How a server is stopped; and its command, which may hold a token, is not told again.
        raise typer.Exit(INTERRUPTED) from None
