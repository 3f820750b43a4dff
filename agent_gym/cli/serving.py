"""A gym, a protocol and an address in; a server that runs until it is stopped out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console

from agent_gym.adapters.openenv.versions import require_openenv
from agent_gym.cli.output import progress_console
from agent_gym.cli.sources import opened
from agent_gym.environment import Environment
from agent_gym.errors import OptionError
from agent_gym.server.front import Address, guarded, run
from agent_gym.server.limits import Limits
from agent_gym.server.mcp import mcp_app, require_mcp, run_stdio
from agent_gym.server.openenv import openenv_app
from agent_gym.server.worlds import Worlds

__all__ = ["Protocol", "run_serve"]


@dataclass(frozen=True, slots=True)
class Protocol:
    """What is spoken, over what; `conversation` and `seed` are MCP's."""

    name: Literal["mcp", "openenv"]
    transport: Literal["stdio", "http"]
    conversation: str | None
    seed: int


def run_serve(sources: list[Path], spoken: Protocol, address: Address, limits: Limits, *, quiet: bool) -> None:
    require_mcp() if spoken.name == "mcp" else require_openenv()
    console = progress_console(quiet)
    environment = opened(sources, console, agent="embedded")
    if spoken.name == "openenv":
        _openenv(environment, spoken.transport, address, limits, console)
        return
    if spoken.conversation is not None:
        environment.scenario(spoken.conversation)  # says so now if there is none
    worlds = Worlds(environment.tool_mocker, spoken.conversation, spoken.seed, idle_seconds=limits.idle_seconds)
    if spoken.transport == "stdio":
        run_stdio(worlds)
        return
    tools = len(environment.tool_mocker.tools)
    console.print(f"{tools} tools at http://{address.host}:{address.port}/mcp?world=NAME", markup=False)
    run(guarded(mcp_app(worlds, limits), address, limits), address, limits)


def _openenv(environment: Environment, transport: str, address: Address, limits: Limits, console: Console) -> None:
    if transport == "stdio":
        raise OptionError("transport", transport, ("http",), "is not what OpenEnv speaks")
    console.print("fitting the reward and playing one case first", markup=False)
    app = openenv_app(environment, limits)
    console.print(f"episodes at ws://{address.host}:{address.port}/ws", markup=False)
    run(guarded(app, address, limits), address, limits)
