"""`agent-gym serve`: a gym in, its episodes or its tools behind a protocol out."""

from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from agent_gym.adapters.openenv.versions import require_openenv
from agent_gym.cli.sources import SOURCES_HELP, opened, progress_console
from agent_gym.environment import Environment
from agent_gym.errors import OptionError
from agent_gym.server.front import Address, guarded, run
from agent_gym.server.limits import Limits
from agent_gym.server.mcp import mcp_app, require_mcp, run_stdio
from agent_gym.server.openenv import openenv_app
from agent_gym.server.worlds import Worlds

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
) -> None:
    """Serve a gym: its tools over MCP to any agent product, or its episodes over OpenEnv to any trainer.

    Example: agent-gym serve support.gym --protocol openenv --port 8000

    Over MCP, every client has a world of its own: over stdio by itself, over HTTP by the address it uses,
    http://127.0.0.1:8000/mcp?world=NAME. Over OpenEnv, every WebSocket at /ws plays episodes of its own.
    """
    require_mcp() if protocol == "mcp" else require_openenv()
    address = Address(host, port, token, tuple(allow_host), unsafe_open)
    limits = Limits(sessions=max_sessions, idle_seconds=idle_seconds)
    console = progress_console()
    environment = opened(sources, console, agent="embedded")
    if protocol == "openenv":
        _openenv(environment, transport, address, limits, console)
        return
    if conversation is not None:
        environment.scenario(conversation)  # says so now if there is none
    worlds = Worlds(environment.tool_mocker, conversation, seed, idle_seconds=idle_seconds)
    if transport == "stdio":
        run_stdio(worlds)
        return
    tools = len(environment.tool_mocker.tools)
    console.print(f"{tools} tools at http://{host}:{port}/mcp?world=NAME", markup=False)
    run(guarded(mcp_app(worlds, limits), address, limits), address, limits)


def _openenv(environment: Environment, transport: str, address: Address, limits: Limits, console: Console) -> None:
    if transport == "stdio":
        raise OptionError("transport", transport, ("http",), "is not what OpenEnv speaks")
    console.print("fitting the reward and playing one case first", markup=False)
    app = openenv_app(environment, limits)
    console.print(f"episodes at ws://{address.host}:{address.port}/ws", markup=False)
    run(guarded(app, address, limits), address, limits)
