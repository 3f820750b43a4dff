"""A reading and where it goes in; the conversations written, redacted if asked, and the counts shown out."""

import os
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from agent_gym.cli.output import data_console, print_json, progress_console, told_only
from agent_gym.cli.plain import plain
from agent_gym.cli.progress import reading_progress
from agent_gym.cli.verb import BAD_INPUT, PROBLEM
from agent_gym.errors import RedactionError
from agent_gym.trace_parser import Reading
from agent_gym.trace_parser.convert import Conversion, Redaction, convert
from agent_gym.trace_parser.redact import presidio_names
from agent_gym.trace_parser.source import ReadOptions, read_source, write_source
from agent_gym.types import Json

__all__ = ["redaction_of", "run_convert"]


def run_convert(
    sources: list[Path],
    options: ReadOptions,
    output: Path,
    redaction: Redaction | None,
    workers: int,
    *,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    _check_output(output, sources)
    console = progress_console(quiet)
    if dry_run:
        told_only({**_counted(sources, options, console), "write": str(output), "send": "nothing"}, as_json)
        return
    try:
        with reading_progress(console) as progress:
            done = convert(
                lambda reading: read_source(sources, reading=reading, **options), output, redaction, progress,
                (lambda reading: write_source(sources, workers, reading, **options)) if workers > 1 else None,
            )  # fmt: skip
    except RedactionError as error:
        progress_console().print(f"[red]not written:[/] {plain(str(error))}", soft_wrap=True)
        raise typer.Exit(PROBLEM) from None
    if as_json:
        print_json(done.to_dict())
    else:
        _show(data_console(), done)
    if not done.reading.conversations:
        raise typer.Exit(BAD_INPUT)


def _counted(sources: list[Path], options: ReadOptions, console: Console) -> dict[str, Json]:
    reading = Reading()
    with reading_progress(console) as progress:
        for _ in read_source(sources, reading=reading, **options):
            progress("reading", reading)
    return {name: getattr(reading, name) for name in ("read", "accepted", "rejected", "conversations")}


def redaction_of(redact: bool, key_file: Path | None, variable: str, names: str, workers: int) -> Redaction | None:
    if names not in ("own", "presidio"):
        raise typer.BadParameter(f"{names!r} is not known; choose own or presidio", param_hint="--redact-names")
    if not redact:
        if key_file is not None or names != "own":
            raise typer.BadParameter(
                "this is of use only with --redact", param_hint="--redact-key-file, --redact-names"
            )
        return None
    key = key_file.read_bytes().strip() if key_file is not None else os.environ.get(variable, "").encode()
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
