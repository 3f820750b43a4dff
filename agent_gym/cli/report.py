"""`agent-gym report`: a gym, what was measured of it, and runs in; one HTML file out."""

from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET, SOURCES_HELP, TEST_FRACTION

__all__ = ["report"]


def report(
    sources: list[Path] = typer.Argument(
        ...,
        metavar="GYM [RUN...]",
        help=f"{SOURCES_HELP} Then runs of agent-gym eval, and policies of agent-gym train.",
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
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Write one HTML file to read and to pass on: it opens from disk, without a network.

    Example: agent-gym report support.gym run.jsonl -o report.html
    """
    from agent_gym.cli.reporting import Wanted, run_report  # noqa: PLC0415  --help must not wait for it

    wanted = Wanted(output, fidelity, audit, policy, test_fraction, seed)
    run_report(sources, wanted, as_json=as_json, quiet=quiet, dry_run=dry_run)
