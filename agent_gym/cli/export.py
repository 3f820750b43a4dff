"""`agent-gym export`: a gym in, files for other trainers out."""

from pathlib import Path
from typing import Literal

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET, SOURCES_HELP, TEST_FRACTION
from agent_gym.cli.output import print_json, progress_console, read_policy, told_only

__all__ = ["export_"]


def export_(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    to: str = typer.Option(..., "--to", help="What to write: sft, openai, sharegpt, dpo, grpo."),
    output: Path = typer.Option(..., "-o", "--output", help="The folder to write: a file a split, and a datasheet."),
    run: Path | None = typer.Option(None, help="Take the rollouts of this run (agent-gym eval -o) instead of the log."),
    outcome: str = typer.Option("succeeded", help="succeeded, failed, all, or a label of the log."),
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
    """Write a dataset for another trainer, with the gym's own split.

    Example: agent-gym export support.gym --to sft -o sft/
    """
    from agent_gym.adapters.datasets import Wanted, export  # noqa: PLC0415  --help must not wait for it
    from agent_gym.cli.sources import opened  # noqa: PLC0415  the same
    from agent_gym.evaluation import RunFile  # noqa: PLC0415  the same

    console = progress_console(quiet)
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    if dry_run:
        told_only({"to": to, "write": f"{output}, a file a split", "send": "nothing"}, as_json)
        return
    named = frozenset(name.strip() for name in answers_from.split(",")) if answers_from else None
    rollouts = [attempt.rollout for attempt in RunFile.open(run).attempts()] if run is not None else None
    # Preferences need the worse ones too, unless somebody says otherwise.
    wanted = Wanted("all" if to == "dpo" and outcome == "succeeded" else outcome, min_score, named)
    written = export(environment, to, output, wanted=wanted, rollouts=rollouts, form=form)
    if as_json:
        print_json({"to": to, "folder": str(output), "rows": written.rows, "files": list(written.files)})
        return
    told = ", ".join(f"{count:,} rows in {split}.{form}" for split, count in sorted(written.rows.items()))
    console.print(f"{output}: {told}; DATASHEET.md says what they are", markup=False)
