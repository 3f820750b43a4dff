"""`agent-gym export`: a gym in, files for other trainers out."""

from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from agent_gym.adapters.datasets import Wanted, export
from agent_gym.adapters.datasets.export import KINDS
from agent_gym.adapters.openenv.project import write_project
from agent_gym.cli.sources import POLICY, SOURCES_HELP, TEST_FRACTION, opened, print_json, progress_console, read_policy
from agent_gym.environment import Environment
from agent_gym.evaluation import RunFile

__all__ = ["export_"]


def export_(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    to: str = typer.Option(
        ..., "--to", help=f"What to write: {', '.join(KINDS)}, or openenv, a project that serves the gym."
    ),
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
    as_json: bool = typer.Option(False, "--json", help="Print what was written as JSON."),
) -> None:
    """Write a dataset for another trainer, with the gym's own split.

    Example: agent-gym export support.gym --to sft -o sft/
    """
    console = progress_console()
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    if to == "openenv":
        _project(environment, output, as_json, console)
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


def _project(environment: Environment, output: Path, as_json: bool, console: Console) -> None:
    written = write_project(environment, output)
    if as_json:
        proofs = {"oracles": len(written.oracles), "least": written.least}
        proofs |= {"canaries": len(written.canaries), "floor": written.floor}
        print_json(
            {"to": "openenv", "folder": str(output), "name": written.name, "files": list(written.files), **proofs}
        )
        return
    console.print(
        f"{output}: an OpenEnv project; {len(written.oracles)} oracles earn {written.least:.2f} or more, "
        f"{len(written.canaries)} canaries {written.floor:.2f} or less",
        markup=False,
    )
