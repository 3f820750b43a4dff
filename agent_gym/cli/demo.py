"""`agent-gym demo`: the sample business's log becomes a gym, and an agent plays an episode in it."""

from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, QUIET

__all__ = ["demo"]


def demo(
    folder: Path | None = typer.Option(None, help="Keep the sample logs here, in the formats people have."),
    agent: str | None = typer.Option(None, help="embedded, gemini[:model] or openai:model; Gemini if a key is set."),
    seed: int = typer.Option(0, help="Another seed: another day of the business, another episode."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """See a conversation log become a gym: offline, without a key, in seconds.

    Example: agent-gym demo --folder sample-logs
    """
    from agent_gym.cli.demonstrating import run_demo  # noqa: PLC0415  --help must not wait for it

    run_demo(folder, agent, seed, as_json=as_json, quiet=quiet)
