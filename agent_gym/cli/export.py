"""`agent-gym export`: a gym in, files for other trainers out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from agent_gym.adapters.datasets import Export, Wanted, export
from agent_gym.adapters.datasets.export import KINDS, FileForm
from agent_gym.adapters.minari import export_minari
from agent_gym.adapters.openenv.project import write_project
from agent_gym.adapters.skyrl import export_skyrl
from agent_gym.adapters.verifiers import export_verifiers
from agent_gym.cli.sources import POLICY, SOURCES_HELP, TEST_FRACTION, opened, print_json, progress_console, read_policy
from agent_gym.environment import Environment
from agent_gym.environment.rollout import Rollout
from agent_gym.errors import OptionError
from agent_gym.evaluation import RunFile

__all__ = ["export_"]

_PLAYED_ELSEWHERE = {"skyrl": export_skyrl, "verifiers": export_verifiers}  # all cases, and the gym that plays them
_ALL = (*KINDS, "minari", "openenv", *_PLAYED_ELSEWHERE)
_FAILURES_TOO = ("dpo", "minari")  # preferences and offline learning are about the worse ones as well


def export_(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    to: str = typer.Option(..., "--to", help=f"What to write: {', '.join(_ALL)}."),
    output: Path = typer.Option(..., "-o", "--output", help="The folder to write."),
    run: Path | None = typer.Option(None, help="Take the rollouts of this run (agent-gym eval -o) instead of the log."),
    outcome: str | None = typer.Option(
        None,
        help=f"succeeded, failed, all, or a label of the log. [default: succeeded; {', '.join(_FAILURES_TOO)}: all]",
    ),
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
    """Write a dataset or a package for another trainer, with the gym's own split.

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
    wanted = Wanted(outcome or ("all" if to in _FAILURES_TOO else "succeeded"), min_score, named)
    written = _written(environment, to, output, wanted, rollouts, form)
    if as_json:
        print_json({"to": to, "folder": str(output), "rows": written.rows, "files": list(written.files)})
        return
    told = ", ".join(f"{count:,} of the {split} split" for split, count in sorted(written.rows.items()))
    console.print(f"{output}: {told}, in {', '.join(written.files)}", markup=False)


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


def _written(
    environment: Environment,
    to: str,
    folder: Path,
    wanted: Wanted,
    rollouts: Sequence[Rollout] | None,
    form: FileForm,
) -> Export:
    if to not in _ALL:
        raise OptionError("to", to, _ALL)
    if to in _PLAYED_ELSEWHERE:
        return _PLAYED_ELSEWHERE[to](environment, folder)
    if to == "minari":
        return export_minari(environment, folder, wanted=wanted, rollouts=rollouts)
    return export(environment, to, folder, wanted=wanted, rollouts=rollouts, form=form)
