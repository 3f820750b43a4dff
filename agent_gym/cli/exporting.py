"""A gym and what another trainer takes in; its files written, and what they hold told out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from agent_gym.adapters.datasets import Export, Wanted, export
from agent_gym.adapters.datasets.export import KINDS, FileForm
from agent_gym.adapters.minari import export_minari
from agent_gym.adapters.openenv.project import write_project
from agent_gym.adapters.skyrl import export_skyrl
from agent_gym.adapters.verifiers import export_verifiers
from agent_gym.cli.output import print_json, progress_console, read_policy, told_only
from agent_gym.cli.sources import opened
from agent_gym.environment import Environment
from agent_gym.environment.rollout import Rollout
from agent_gym.errors import OptionError
from agent_gym.evaluation import RunFile

__all__ = ["ALL_KINDS", "Asked", "run_export"]

_PLAYED_ELSEWHERE = {"skyrl": export_skyrl, "verifiers": export_verifiers}  # all cases, and the gym that plays them
ALL_KINDS = (*KINDS, "minari", "openenv", *_PLAYED_ELSEWHERE)
_FAILURES_TOO = ("dpo", "minari")  # preferences and offline learning are about the worse ones as well


@dataclass(frozen=True, slots=True)
class Asked:
    """What to write, where, and from which conversations."""

    to: str
    output: Path
    run: Path | None
    outcome: str | None
    min_score: float | None
    answers_from: str | None
    form: FileForm


def run_export(
    sources: list[Path],
    asked: Asked,
    policy: Path | None,
    test_fraction: float,
    seed: int,
    *,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    to, output, answers_from = asked.to, asked.output, asked.answers_from
    if to not in ALL_KINDS:
        raise OptionError("to", to, ALL_KINDS)
    console = progress_console(quiet)
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    if dry_run:
        told_only({"export": f"{len(environment.corpus)} conversations as {to}", "write": f"{output}/"}, as_json)
        return
    if to == "openenv":
        _project(environment, output, as_json, console)
        return
    named = frozenset(name.strip() for name in answers_from.split(",")) if answers_from else None
    rollouts = [attempt.rollout for attempt in RunFile.open(asked.run).attempts()] if asked.run is not None else None
    wanted = Wanted(asked.outcome or ("all" if to in _FAILURES_TOO else "succeeded"), asked.min_score, named)
    written = _written(environment, to, output, wanted, rollouts, asked.form)
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
    if to in _PLAYED_ELSEWHERE:
        return _PLAYED_ELSEWHERE[to](environment, folder)
    if to == "minari":
        return export_minari(environment, folder, wanted=wanted, rollouts=rollouts)
    return export(environment, to, folder, wanted=wanted, rollouts=rollouts, form=form)
