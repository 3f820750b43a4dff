"""Where a command's words go: data to stdout, progress to stderr, and neither obeyed by the terminal."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import orjson
import typer
from rich.console import Console

from agent_gym.types import Json

__all__ = ["data_console", "print_json", "progress_console", "read_policy", "stage", "told_only"]


def progress_console(quiet: bool = False) -> Console:
    """Where progress goes: never to stdout, which is for data."""
    return Console(stderr=True, emoji=False, highlight=False, quiet=quiet)


def data_console() -> Console:
    """Where tables for people go."""
    return Console(emoji=False, highlight=False)


@contextmanager
def stage(console: Console, doing: str) -> Iterator[None]:
    """A spinner while something runs; where nobody watches, a line."""
    if console.is_terminal:
        with console.status(doing):
            yield
    else:
        console.print(doing, markup=False, soft_wrap=True)
        yield


# JSON lets them stand as they are, a terminal obeys them: the escapes of eight bits, and what turns text around.
_OBEYED = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def print_json(value: Json) -> None:
    """Data for machines, on stdout; what a terminal would obey is escaped, which JSON reads back alike."""
    written = orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
    typer.echo(_OBEYED.sub(lambda sign: f"\\u{ord(sign.group()):04x}", written))


def told_only(would: Mapping[str, Json], as_json: bool) -> None:
    """What a dry run says: each thing that would be done, and that none of it was."""
    if as_json:
        print_json({"dry_run": True, **would})
        return
    console = data_console()
    console.print("dry run: nothing is written, nothing is sent")
    for name, value in would.items():
        console.print(f"  {name.replace('_', ' ')}: {value}", markup=False, soft_wrap=True)


def read_policy(path: Path | None) -> str | None:
    return path.read_text(encoding="utf-8") if path is not None else None
