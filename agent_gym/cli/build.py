"""`agent-gym build`: logs in, one gym file out."""

from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET
from agent_gym.cli.output import read_policy

__all__ = ["build"]


def build(
    sources: list[Path] = typer.Argument(None, metavar="SRC...", help="Logs in any format that `convert` reads."),
    output: Path = typer.Option(..., "-o", "--output", help="The gym file to write."),
    add: list[Path] = typer.Option([], help="Logs to add to the gym that is there, which keeps its options."),
    test_fraction: float = typer.Option(0.2, help="The share of conversations held out, whole customers at a time."),
    policy: Path | None = POLICY,
    seed: int = typer.Option(0, help="Another seed: another split."),
    workers: int | None = typer.Option(
        None,
        min=1,
        help="Processes to build with, by default as many as there are cores, up to 4; the gym is the same.",
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Mine logs once, and keep the result as one file.

    Example: agent-gym build conversations.jsonl -o support.gym

    After Ctrl-C the same command goes on where it stopped. `agent-gym build --add MORE.jsonl -o support.gym` builds
    from what is in the gym and more, as if all had been there from the start.
    """
    from agent_gym.cli.building import run_build  # noqa: PLC0415  --help must not wait for it
    from agent_gym.environment.stored import Recipe  # noqa: PLC0415  the same

    recipe = Recipe(policy=read_policy(policy), seed=seed, test_fraction=test_fraction)
    run_build(sources, output, add, recipe, workers=workers, as_json=as_json, quiet=quiet, dry_run=dry_run)
