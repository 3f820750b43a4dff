"""`agent-gym convert`: logs of any format in, conversations in the trace schema out, one a line."""

import os
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from agent_gym.cli.plain import plain
from agent_gym.cli.progress import reading_progress
from agent_gym.cli.reading_options import FORMAT, LABELS, OUTCOME, ROLES, SATISFACTION, SCALE, read_options
from agent_gym.cli.sources import print_json, progress_console
from agent_gym.errors import RedactionError
from agent_gym.trace_parser.convert import Conversion, Redaction
from agent_gym.trace_parser.convert import convert as convert_
from agent_gym.trace_parser.redact import presidio_names
from agent_gym.trace_parser.source import read_source, write_source

__all__ = ["convert"]

KEY_VARIABLE = "AGENT_GYM_REDACT_KEY"
PROBLEM, BAD_INPUT, INTERRUPTED = 1, 3, 130


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
    as_json: bool = typer.Option(False, "--json", help="Print the counts as JSON."),
) -> None:
    """Turn logs into the trace schema; what cannot be used goes to OUT.rejects.jsonl, with the reason.

    Example: agent-gym convert export/ -o conversations.jsonl --redact

    Exit codes: 0 converted, 1 personal values would have been left, 2 wrong usage, 3 nothing could be read,
    130 interrupted. Either both files are written, or neither.
    """
    options = read_options(form, roles, outcome, satisfaction, scale, labels)
    redaction = _redaction(redact, key_file, names, workers)
    _check_output(output, sources)
    console = progress_console()
    try:
        with reading_progress(console) as progress:
            done = convert_(
                lambda reading: read_source(sources, reading=reading, **options), output, redaction, progress,
                (lambda reading: write_source(sources, workers, reading, **options)) if workers > 1 else None,
            )  # fmt: skip
    except KeyboardInterrupt:
        console.print("stopped; nothing was written", markup=False)
        raise typer.Exit(INTERRUPTED) from None
    except RedactionError as error:
        console.print(f"[red]not written:[/] {plain(str(error))}", soft_wrap=True)
        raise typer.Exit(PROBLEM) from None
    if as_json:
        print_json(done.to_dict())
    else:
        _show(Console(emoji=False, highlight=False), done)
    if not done.reading.conversations:
        raise typer.Exit(BAD_INPUT)


def _redaction(redact: bool, key_file: Path | None, names: str, workers: int) -> Redaction | None:
    if names not in ("own", "presidio"):
        raise typer.BadParameter(f"{names!r} is not known; choose own or presidio", param_hint="--redact-names")
    if not redact:
        if key_file is not None or names != "own":
            raise typer.BadParameter(
                "this is of use only with --redact", param_hint="--redact-key-file, --redact-names"
            )
        return None
    key = key_file.read_bytes().strip() if key_file is not None else os.environ.get(KEY_VARIABLE, "").encode()
    if key_file is not None and not key:
        raise typer.BadParameter(f"{key_file} is empty", param_hint="--redact-key-file")
    return Redaction(key or None, presidio_names() if names == "presidio" else None, workers)


def _check_output(output: Path, sources: list[Path]) -> None:
    if not output.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {output.parent}", param_hint="-o")
    if output.is_dir():
        raise typer.BadParameter(f"{output} is a folder; name a file in it", param_hint="-o")
    if any(source.resolve() == output.resolve() for source in sources):
        raise typer.BadParameter("it is one of the sources, which would be overwritten", param_hint="-o")


def _show(console: Console, done: Conversion) -> None:
    reading = done.reading
    formats = ", ".join(f"{name} {n:,}" for name, n in reading.formats.most_common()) or "none"
    console.print(
        f"{plain(str(done.output))}: {reading.conversations:,} conversations of {reading.read:,} records ({formats})",
        soft_wrap=True,
    )
    if reading.rejected:
        console.print(
            f"{reading.rejected:,} records cannot be used; {plain(str(done.rejects))} says why", soft_wrap=True
        )
    for reason, notice in list(reading.rejects.items())[:3]:
        place = notice.source if notice.line is None else f"{notice.source}:{notice.line}"
        console.print(f"  {plain(place)}: {plain(reason)}", soft_wrap=True)
    if done.redacted is not None:
        table = Table(title="Replaced", title_justify="left")
        for column in ("kind", "different values", "times"):
            table.add_column(column, justify="left" if column == "kind" else "right")
        for kind, counts in done.redacted.items():
            table.add_row(kind.replace("_", " "), f"{counts['values']:,}", f"{counts['times']:,}")
        console.print(table)
        console.print("Names that stand only in prose may be left: see docs/privacy.md.")
    console.print(f"next: agent-gym inspect {plain(str(done.output))}", soft_wrap=True)
