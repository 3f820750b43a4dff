"""`agent-gym export`: a gym in, files for other trainers out."""

from pathlib import Path
from typing import Literal

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET, SOURCES_HELP, TEST_FRACTION

__all__ = ["export_"]

_KINDS = "sft, openai, sharegpt, dpo, grpo, minari, openenv, skyrl, verifiers"


def export_(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    to: str = typer.Option(..., "--to", help=f"What to write: {_KINDS}."),
    output: Path = typer.Option(..., "-o", "--output", help="The folder to write."),
    run: Path | None = typer.Option(None, help="Take the rollouts of this run (agent-gym eval -o) instead of the log."),
    outcome: str | None = typer.Option(
        None,
        help="succeeded, failed, all, or a label of the log. [default: succeeded; dpo, minari: all]",
    ),
    min_score: float | None = typer.Option(None, help="Only what scores at least this."),
    answers_from: str | None = typer.Option(
        None, help="Only rollouts whose tool answers all come from these: recorded,state,…"
    ),
    form: Literal["jsonl", "parquet"] = typer.Option("jsonl", help="The file format."),
    policy: Path | None = POLICY,
    test_fraction: float = TEST_FRACTION,
    seed: int = typer.Option(0, help="For trace files: another seed, another split."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Write a dataset or a package for another trainer, with the gym's own split.

    Example: agent-gym export support.gym --to sft -o sft/
    """
    from agent_gym.cli.exporting import Asked, run_export  # noqa: PLC0415  --help must not wait for it

    asked = Asked(to, output, run, outcome, min_score, answers_from, form)
    run_export(sources, asked, policy, test_fraction, seed, as_json=as_json, quiet=quiet, dry_run=dry_run)
