"""How sources are read, as `convert` and `inspect` both take it: the options' text in, their values out."""

import difflib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from agent_gym.types import Trace

if TYPE_CHECKING:
    from agent_gym.trace_parser import Reading, Reject
    from agent_gym.trace_parser.source import ReadOptions

__all__ = ["FORMAT", "LABELS", "OUTCOME", "ROLES", "SATISFACTION", "SCALE", "read_options", "reader"]

FORMAT = typer.Option(None, "--format", help="Where it cannot be told: a format's name; `--format ?` lists them.")
ROLES = typer.Option(None, help='Who speaks: "DOCTOR=assistant,PATIENT=user".')
OUTCOME = typer.Option(None, metavar="PATH", help="Where a record says how it ended: a JSON pointer, /info/status.")
SATISFACTION = typer.Option(None, metavar="PATH", help="Where a record holds the rating: a JSON pointer.")
SCALE = typer.Option(None, metavar="LOW..HIGH", help="The rating's scale: 1..5.")
LABELS = typer.Option(
    None, metavar="CSV", exists=True, dir_okay=False,
    help="A table with conversation_id and outcome or satisfaction_score.",
)  # fmt: skip


def reader(
    sources: list[Path], form: str | None, roles: str | None, outcome: str | None, satisfaction: str | None,
    scale: str | None, labels: Path | None,
) -> "Callable[[Reading], Iterator[Trace | Reject]]":  # fmt: skip
    """The reading that the options describe; it can be done more than once."""
    from agent_gym.trace_parser import read_source  # noqa: PLC0415  --help must not wait for it

    options = read_options(form, roles, outcome, satisfaction, scale, labels)
    return lambda reading: read_source(sources, reading=reading, **options)


def read_options(
    form: str | None, roles: str | None, outcome: str | None, satisfaction: str | None,
    scale: str | None, labels: Path | None,
) -> "ReadOptions":  # fmt: skip
    """The options' values. Raises `typer.BadParameter` for text that is none."""
    from agent_gym.trace_parser import FORMATS, format_names  # noqa: PLC0415  --help must not wait for it

    if form is not None and form not in format_names():
        near = difflib.get_close_matches(form, format_names(), n=1)
        listed = ", ".join(each.name + ("*" if each.experimental else "") for each in FORMATS)
        known = f"choose one of {listed} (* experimental: by the vendor's documents alone)"
        hint = f"did you mean {near[0]}?" if near else known
        raise typer.BadParameter(f"{form!r} is no format; {hint}", param_hint="--format")
    return {
        "format": form,
        "roles": _roles(roles),
        "outcome": outcome,
        "satisfaction": satisfaction,
        "scale": _scale(scale),
        "labels": labels,
    }


def _roles(given: str | None) -> dict[str, str] | None:
    if given is None:
        return None
    pairs = [pair.partition("=") for pair in given.split(",") if pair.strip()]
    if any(not sign for _, sign, _ in pairs):
        raise typer.BadParameter('write it as "DOCTOR=assistant,PATIENT=user"', param_hint="--roles")
    return {label.strip(): role.strip() for label, _, role in pairs}


def _scale(given: str | None) -> tuple[float, float] | None:
    if given is None:
        return None
    low, _, high = given.partition("..")
    try:
        ends = float(low), float(high)
    except ValueError:
        raise typer.BadParameter("write it as 1..5", param_hint="--scale") from None
    if not ends[0] < ends[1]:
        raise typer.BadParameter("the lower end comes first: 1..5", param_hint="--scale")
    return ends
