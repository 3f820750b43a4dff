"""`agent-gym serve`: a gym in, its tools behind a protocol out."""

from pathlib import Path
from typing import Literal

import typer

from agent_gym.cli.options import QUIET, SOURCES_HELP
from agent_gym.cli.output import progress_console

__all__ = ["serve"]


def serve(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    protocol: Literal["mcp"] = typer.Option("mcp", help="What to speak."),
    transport: Literal["stdio", "http"] = typer.Option("http", help="stdio: for a client that starts this command."),
    host: str = typer.Option("127.0.0.1", help="Another address than this machine's own needs --token."),
    port: int = typer.Option(8000, min=1, max=65535, help="The port of --transport http."),
    token: str | None = typer.Option(
        None, envvar="AGENT_GYM_TOKEN", help="What every request must bear: Authorization: Bearer TOKEN."
    ),
    conversation: str | None = typer.Option(
        None, help="Answer as in this recorded conversation, where it has answers."
    ),
    seed: int = typer.Option(0, help="Decides what is left to chance."),
    quiet: bool = QUIET,
) -> None:
    """Serve the mocked tools over MCP, so that any agent product can be pointed at them.

    Example: agent-gym serve support.gym --protocol mcp --port 8000

    Every client has a world of its own: over stdio by itself, over HTTP by the address it uses,
    http://127.0.0.1:8000/mcp?world=NAME.
    """
    from agent_gym.cli.sources import opened  # noqa: PLC0415  --help must not wait for it
    from agent_gym.server.mcp import require_mcp, run_http, run_stdio  # noqa: PLC0415  the same
    from agent_gym.server.worlds import Worlds  # noqa: PLC0415  the same

    del protocol  # typer lets only one through
    require_mcp()
    console = progress_console(quiet)
    environment = opened(sources, console, agent="embedded")
    if conversation is not None:
        environment.scenario(conversation)  # says so now if there is none
    worlds = Worlds(environment.tool_mocker, conversation, seed)
    if transport == "stdio":
        run_stdio(worlds)
        return
    console.print(f"{len(environment.tool_mocker.tools)} tools at http://{host}:{port}/mcp?world=NAME", markup=False)
    run_http(worlds, host, port, token)
