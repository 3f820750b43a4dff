"""What a command is pointed at, in; an environment, out: one gym file, or trace files together."""

import re
from pathlib import Path
from typing import Any

import orjson
import typer
from rich.console import Console

from agent_gym.cli.progress import reading_progress
from agent_gym.environment import Environment, create_environment, load
from agent_gym.errors import OptionError
from agent_gym.store import GymFile, is_gym_file
from agent_gym.trace_parser import Reading, Reject, read_source
from agent_gym.types import Json, Trace

__all__ = [
    "POLICY",
    "SOURCES_HELP",
    "TEST_FRACTION",
    "opened",
    "print_json",
    "progress_console",
    "read_policy",
    "traces_of",
]

# Options of every command that opens a gym or logs.
POLICY = typer.Option(
    None, exists=True, dir_okay=False, help="A text file: the system prompt of traces that carry none."
)
TEST_FRACTION = typer.Option(0.2, help="For trace files: the share held out.")
SOURCES_HELP = "A gym file, or logs in any format that `agent-gym convert` reads: files, folders, globs."


def progress_console() -> Console:
    """Where progress goes: never to stdout, which is for data."""
    return Console(stderr=True, emoji=False, highlight=False)


# JSON lets them stand as they are, a terminal obeys them: the escapes of eight bits, and what turns text around.
_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def print_json(value: Json) -> None:
    """Data for machines, on stdout; what a terminal would obey is escaped, which JSON reads back alike."""
    written = orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
    typer.echo(_OBEYED.sub(lambda sign: f"\\u{ord(sign.group()):04x}", written))


def opened(sources: list[Path], console: Console, **options: Any) -> Environment:
    """The environment behind the sources. `options` are those of `create_environment`; a gym keeps its own split."""
    if any(is_gym_file(source) for source in sources):
        if len(sources) > 1:
            raise OptionError("SRC", sources[1], ("one gym file, or trace files",), why="cannot be added to a gym file")
        console.print(f"opening {sources[0]}", markup=False)
        kept = {name: options[name] for name in ("agent", "user") if options.get(name) is not None}
        return load(sources[0], **kept)
    return create_environment(traces_of(sources, console), **options)


def traces_of(sources: list[Path], console: Console) -> list[Trace]:
    """The traces of all files, gym files among them; what cannot be used is counted and shown, never just dropped."""
    traces: list[Trace] = []
    rejects: list[Reject] = []
    for source in sources:
        if is_gym_file(source):
            traces += [trace for trace, _ in GymFile.open(source).traces()]
    logs = [source for source in sources if not is_gym_file(source)]
    # All at once: the records of one conversation may lie in several files.
    reading = Reading()
    with reading_progress(console) as progress:
        for item in read_source(logs, reading=reading) if logs else ():
            if isinstance(item, Reject):
                rejects.append(item)
            else:
                traces.append(item)
            progress("reading", reading)
    if not traces and rejects:
        raise rejects[0].error()
    console.print(f"read {len(traces):,} conversations", markup=False)
    if rejects:
        left_out = sum(reject.records for reject in rejects)
        console.print(
            f"left out {left_out:,} records that cannot be used; the first: {rejects[0].error()}", markup=False
        )
    return traces


def read_policy(path: Path | None) -> str | None:
    return path.read_text(encoding="utf-8") if path is not None else None
