"""`agent-gym report`: a gym, what was measured of it, and runs in; one HTML file out."""

from pathlib import Path

import orjson
import typer

from agent_gym.cli.fidelity import FIDELITY, keep_fidelity, measured
from agent_gym.cli.sources import POLICY, SOURCES_HELP, TEST_FRACTION, opened, progress_console, read_policy
from agent_gym.errors import AgentGymError
from agent_gym.evaluation import RunFile, is_run_file
from agent_gym.report import NamedRun, write_report
from agent_gym.store import GymFile, is_gym_file
from agent_gym.types import Json

__all__ = ["report"]


def report(
    sources: list[Path] = typer.Argument(
        ..., metavar="GYM [RUN...]", help=f"{SOURCES_HELP} Then runs of agent-gym eval."
    ),
    output: Path = typer.Option(Path("report.html"), "-o", "--output", help="The file to write."),
    fidelity: Path | None = typer.Option(
        None,
        exists=True,
        dir_okay=False,
        help="What agent-gym fidelity --json printed; without it, what the gym keeps, or measured now.",
    ),
    audit: bool = typer.Option(False, "--audit", help="Also try every hack on the reward. Takes minutes."),
    policy: Path | None = POLICY,
    test_fraction: float = TEST_FRACTION,
    seed: int = typer.Option(0, help="For trace files: another seed, another split."),
) -> None:
    """Write one HTML file to read and to pass on: it opens from disk, without a network.

    Example: agent-gym report support.gym run.jsonl -o report.html
    """
    console = progress_console()
    logs, found = _parted(sources)
    environment = opened(
        logs, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    gym = logs[0] if is_gym_file(logs[0]) else None
    told = _read(fidelity) if fidelity is not None else None
    if told is None and gym is not None and not audit:
        told = GymFile.open(gym).report(FIDELITY)
    if told is None:
        told = measured(list(environment.corpus), console, policy=read_policy(policy), run_audit=audit, seed=seed)
        if gym is not None:
            keep_fidelity(gym, told, console)
    with console.status("writing …"):
        write_report(environment, told, found, output, ", ".join(path.name for path in logs))
    console.print(f"{output}: {output.stat().st_size / 2**20:.1f} MB", markup=False)


def _parted(sources: list[Path]) -> tuple[list[Path], list[NamedRun]]:
    """Runs say what they are in their first line; everything else is the gym, or its logs."""
    logs, found = [], []
    for path in sources:
        if is_run_file(path):
            run = RunFile.open(path)
            found.append(NamedRun(path.stem, run.identity, tuple(run.attempts())))
        else:
            logs.append(path)
    if not logs:
        raise AgentGymError("a report is of a gym: name the gym file or its logs before the runs")
    return logs, found


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
