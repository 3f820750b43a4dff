"""`agent-gym fidelity`: how far to trust what was mined from a log, measured on conversations it has not seen."""

from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET, SOURCES_HELP

__all__ = ["fidelity"]


def fidelity(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    against: Path | None = typer.Option(None, help="Conversations to ask about that are not in the source."),
    run_audit: bool = typer.Option(False, "--audit", help="Also try every hack on the reward. Takes minutes."),
    policy: Path | None = POLICY,
    seed: int = typer.Option(0, help="Which conversations are held out or drawn."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """How far to trust the tools, the customers and the reward, on what they have not seen.

    Without --against, whole customers are held out (new cases), and single conversations
    of cases that have others (new rollouts). A gym file keeps the result, for its report.

    Example: agent-gym fidelity support.jsonl --against next-week.jsonl --audit

    Exit codes: 0 measured, 1 measured, and a hack pays, 2 wrong usage, 3 bad input, 130 interrupted.
    """
    from agent_gym.cli.measuring import run_fidelity  # noqa: PLC0415  --help must not wait for it

    run_fidelity(
        sources, against, policy, run_audit=run_audit, seed=seed, as_json=as_json, quiet=quiet, dry_run=dry_run
    )
