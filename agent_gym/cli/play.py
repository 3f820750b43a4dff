"""`agent-gym play`: a person takes the agent's place, or the customer's, in a terminal."""

from pathlib import Path
from typing import Literal

import typer

from agent_gym.cli.options import AS_JSON, POLICY, QUIET, SOURCES_HELP

__all__ = ["play"]


def play(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    conversation: str | None = typer.Option(
        None, "--case", help="The conversation to play; drawn by the seed if not given."
    ),
    role: Literal["agent", "customer"] = typer.Option("agent", "--as", help="Whose place to take."),
    agent: str | None = typer.Option(None, help="Who answers when you are the customer."),
    policy: Path | None = POLICY,
    seed: int = typer.Option(0, help="Another seed: another case, another mood."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Be the agent, or the customer, in a recorded case.

    With --json the conversation stands on stderr, and the finished rollout on stdout.

    Example: agent-gym play support.gym --as agent
    """
    from agent_gym.cli.playing import run_play  # noqa: PLC0415  --help must not wait for it

    run_play(sources, conversation, role, agent, policy, seed=seed, as_json=as_json, quiet=quiet)
