"""`agent-gym convert`: logs of any format in, conversations in the trace schema out, one a line."""

from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, QUIET
from agent_gym.cli.reading_options import FORMAT, LABELS, OUTCOME, ROLES, SATISFACTION, SCALE, read_options

__all__ = ["convert"]

KEY_VARIABLE = "AGENT_GYM_REDACT_KEY"


def convert(
    sources: list[Path] = typer.Argument(..., metavar="SRC...", help="Files, folders, or globs in quotes."),
    output: Path = typer.Option(..., "-o", "--output", help="The file to write, one conversation a line."),
    form: str | None = FORMAT,
    redact: bool = typer.Option(False, "--redact", help="Put stand-ins in the place of names, addresses, numbers …"),
    key_file: Path | None = typer.Option(
        None,
        "--redact-key-file",
        exists=True,
        dir_okay=False,
        help=f"The key of the stand-ins, to get the same ones again; else ${KEY_VARIABLE}, else a new one.",
    ),
    names: str = typer.Option("own", "--redact-names", help="Who finds names in prose: own, presidio (experimental)."),
    outcome: str | None = OUTCOME,
    satisfaction: str | None = SATISFACTION,
    scale: str | None = SCALE,
    labels: Path | None = LABELS,
    roles: str | None = ROLES,
    workers: int = typer.Option(1, min=1, help="Processes that read, or that redact what one of them reads."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Turn logs into the trace schema; what cannot be used goes to OUT.rejects.jsonl, with the reason.

    Example: agent-gym convert export/ -o conversations.jsonl --redact

    Exit codes: 0 converted, 1 personal values would have been left, 2 wrong usage, 3 nothing could be read,
    130 interrupted. Either both files are written, or neither.
    """
    from agent_gym.cli.converting import redaction_of, run_convert  # noqa: PLC0415  --help must not wait for it

    options = read_options(form, roles, outcome, satisfaction, scale, labels)
    redaction = redaction_of(redact, key_file, KEY_VARIABLE, names, workers)
    run_convert(sources, options, output, redaction, workers, as_json=as_json, quiet=quiet, dry_run=dry_run)
