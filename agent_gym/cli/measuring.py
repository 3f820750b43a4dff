"""A gym or logs in; their fidelity measured, kept in the gym and shown out."""

from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from agent_gym.cli.output import data_console, print_json, progress_console, read_policy, stage, told_only
from agent_gym.cli.show_fidelity import show_all
from agent_gym.cli.sources import traces_of
from agent_gym.cli.verb import PROBLEM
from agent_gym.errors import GymFileError
from agent_gym.fidelity import Fidelity, measure_fidelity
from agent_gym.store import GymFile, is_gym_file
from agent_gym.types import Json, Trace

__all__ = ["FIDELITY", "keep_fidelity", "measured", "run_fidelity"]

FIDELITY = "fidelity"  # the name under which a gym keeps it


def run_fidelity(
    sources: list[Path],
    against: Path | None,
    policy: Path | None,
    *,
    run_audit: bool,
    seed: int,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    aside = progress_console(quiet)
    traces = traces_of(sources, aside)
    others = traces_of([against], aside) if against else None
    kept = sources[0] if len(sources) == 1 and is_gym_file(sources[0]) and against is None else None
    if dry_run:
        what = f"{len(traces)} conversations{', and every hack on the reward' if run_audit else ''}"
        told_only(
            {"measure": what, "write": f"the result into {kept}" if kept else "nothing", "send": "nothing"}, as_json
        )
        return
    found = measured(traces, aside, others, policy=read_policy(policy), run_audit=run_audit, seed=seed)
    if kept is not None:
        keep_fidelity(kept, found.to_dict(), aside)
    if as_json:
        print_json(found.to_dict())
    else:
        show_all(data_console(), found)
    if found.audit is not None and not found.audit.passed:
        raise typer.Exit(PROBLEM)


def measured(
    traces: list[Trace],
    aside: Console,
    others: list[Trace] | None = None,
    *,
    policy: str | None,
    run_audit: bool,
    seed: int,
) -> Fidelity:
    return measure_fidelity(traces, others, policy=policy, run_audit=run_audit, seed=seed, stage=partial(stage, aside))


def keep_fidelity(gym: Path, found: dict[str, Json], aside: Console) -> None:
    """Store what was measured in the gym, for its report; a gym that may not be written is no reason to fail."""
    try:
        GymFile.open(gym).keep(FIDELITY, found)
    except GymFileError as error:
        aside.print(f"not stored: {error}", markup=False)
