"""What `agent-gym report` was pointed at in; its fidelity found or measured, and the report written out."""

from dataclasses import dataclass
from pathlib import Path

import orjson

from agent_gym.agent import PolicyFile, is_policy_file
from agent_gym.cli.measuring import FIDELITY, keep_fidelity, measured
from agent_gym.cli.output import print_json, progress_console, read_policy, stage, told_only
from agent_gym.cli.sources import opened
from agent_gym.errors import AgentGymError
from agent_gym.evaluation import RunFile, is_run_file
from agent_gym.report import NamedHistory, NamedRun, write_report
from agent_gym.store import GymFile, is_gym_file
from agent_gym.training import Round
from agent_gym.types import Json

__all__ = ["Wanted", "run_report"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where the report goes, and what it is made from besides the gym."""

    output: Path
    fidelity: Path | None
    audit: bool
    policy: Path | None
    test_fraction: float
    seed: int


def run_report(sources: list[Path], wanted: Wanted, *, as_json: bool, quiet: bool, dry_run: bool) -> None:
    console = progress_console(quiet)
    logs, runs, histories = _parted(sources)
    if dry_run:
        found = {"read": ", ".join(map(str, sources)), "write": str(wanted.output), "send": "nothing"}
        told_only({**found, "measure": "what the gym does not keep"}, as_json)
        return
    policy = read_policy(wanted.policy)
    environment = opened(
        logs, console, agent="embedded", policy=policy, test_fraction=wanted.test_fraction, seed=wanted.seed
    )
    gym = logs[0] if is_gym_file(logs[0]) else None
    told = _read(wanted.fidelity) if wanted.fidelity is not None else None
    if told is None and gym is not None and not wanted.audit:
        told = GymFile.open(gym).report(FIDELITY)
    if told is None:
        traces = list(environment.corpus)
        told = measured(traces, console, policy=policy, run_audit=wanted.audit, seed=wanted.seed).to_dict()
        if gym is not None:
            keep_fidelity(gym, told, console)
    with stage(console, "writing …"):
        write_report(environment, told, runs, histories, wanted.output, ", ".join(path.name for path in logs))
    size = wanted.output.stat().st_size
    if as_json:
        print_json({"report": str(wanted.output), "bytes": size, "runs": [run.name for run in runs]})
    else:
        console.print(f"{wanted.output}: {size / 2**20:.1f} MB", markup=False, soft_wrap=True)


def _parted(sources: list[Path]) -> tuple[list[Path], list[NamedRun], list[NamedHistory]]:
    """Runs and policies say what they are; everything else is the gym, or its logs."""
    logs: list[Path] = []
    runs: list[NamedRun] = []
    histories: list[NamedHistory] = []
    for path in sources:
        if is_run_file(path):
            run = RunFile.open(path)
            runs.append(NamedRun(path.stem, run.identity, tuple(run.attempts())))
        elif is_policy_file(path):
            rounds = PolicyFile.read(path).training.get("history") or ()
            histories.append(NamedHistory(path.stem, tuple(Round(**each) for each in rounds)))
        else:
            logs.append(path)
    if not logs:
        raise AgentGymError("a report is of a gym: name the gym file or its logs before the runs")
    return logs, runs, histories


def _read(path: Path) -> dict[str, Json]:
    try:
        told: Json = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise AgentGymError(
            f"{path} is no JSON ({error}): agent-gym fidelity GYM --json > {path.name} writes it"
        ) from None
    if not isinstance(told, dict) or "tools" not in told:
        raise AgentGymError(f"{path} is not what agent-gym fidelity --json prints: it has no 'tools'")
    return told
