"""Files, folders and globs in; conversations out as they are read, whatever format they are in, and the rejects."""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import cast

from agent_gym.errors import OptionError, TraceError
from agent_gym.trace_parser.choose import named
from agent_gym.trace_parser.files import files_of
from agent_gym.trace_parser.labels import labels_of
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.run import Run
from agent_gym.types import ROLES, Role, Trace

__all__ = ["read_source"]


def read_source(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    format: str | None = None,  # noqa: A002  # the option's own name, as on the command line
    roles: Mapping[str, str] | None = None,
    outcome: str | None = None,
    satisfaction: str | None = None,
    scale: tuple[float, float] | None = None,
    labels: str | PathLike[str] | None = None,
    reading: Reading | None = None,
) -> Iterator[Trace | Reject]:
    """Every conversation and every reject, in the order of the files; `reading` counts them on the way.

    `format` is one of `format_names()`; None tells them apart by content. `roles` maps speaker labels to roles.
    `outcome` and `satisfaction` are JSON pointers into a record ("/info/reward"), `scale` the ends of the rating's
    scale, `labels` a CSV file with `conversation_id` and `outcome` or `satisfaction_score` columns.
    Formats whose conversations are spread over records and files come last, once all records are known. A file that
    does not exist raises `TraceError`; one that cannot be read is a reject.
    """
    run = Run(
        Reading() if reading is None else reading,
        None if format is None else named(format),
        _roles(roles or {}),
        labels_of(outcome, satisfaction, scale, labels),
    )
    files = list(files_of(paths))
    run.expect(files)
    for path in files:
        try:
            yield from run.file(path)
        except TraceError as error:
            yield run.refused(Reject.of(error))
    yield from run.pooled()


def _roles(given: Mapping[str, str]) -> dict[str, Role]:
    for label, role in given.items():
        if role not in ROLES:
            raise OptionError(f"roles[{label!r}]", role, ROLES)
    return {label.strip().lower(): cast("Role", role) for label, role in given.items()}
