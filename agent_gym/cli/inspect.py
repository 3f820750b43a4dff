"""`agent-gym inspect`: logs of any format, or a gym file, in; what they hold and what is wrong with them, in words."""

from functools import partial
from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, QUIET
from agent_gym.cli.reading_options import FORMAT, LABELS, OUTCOME, ROLES, SATISFACTION, SCALE, reader

__all__ = ["inspect"]


def inspect(
    sources: list[Path] = typer.Argument(..., metavar="SRC...", help="Files, folders, globs in quotes, or a gym file."),
    form: str | None = FORMAT,
    outcome: str | None = OUTCOME,
    satisfaction: str | None = SATISFACTION,
    scale: str | None = SCALE,
    labels: Path | None = LABELS,
    roles: str | None = ROLES,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Look at logs before anything is done with them: conversations, tools, outcomes, ratings, problems.

    Example: agent-gym inspect export/ support.jsonl.gz

    Exit codes: 0 looked at, 2 wrong usage, 3 nothing could be read, 130 interrupted.
    """
    from agent_gym.cli.surveying import run_inspect  # noqa: PLC0415  --help must not wait for it

    read_by = partial(
        reader, form=form, roles=roles, outcome=outcome, satisfaction=satisfaction, scale=scale, labels=labels
    )
    run_inspect(sources, read_by, as_json=as_json, quiet=quiet)
