"""Files, folders and globs in; conversations out as they are read, whatever format they are in, and the rejects."""

from collections.abc import Generator, Iterable, Iterator, Mapping
from os import PathLike
from typing import TypeAlias, TypedDict, Unpack, cast

from agent_gym.errors import OptionError, TraceError
from agent_gym.trace_parser.batches import written_in_processes
from agent_gym.trace_parser.choose import named
from agent_gym.trace_parser.files import files_of
from agent_gym.trace_parser.labels import labels_of
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.run import Batch, Run
from agent_gym.trace_parser.written import Written
from agent_gym.types import ROLES, Role, Trace

__all__ = ["ReadOptions", "read_source", "write_source"]

Paths: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]

_BATCH = 128  # records that a process reads at once


def read_source(
    paths: Paths,
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
    run = _run(
        Reading() if reading is None else reading, 0,
        format=format, roles=roles, outcome=outcome, satisfaction=satisfaction, scale=scale, labels=labels,
    )  # fmt: skip
    for unit in _units(run, paths):
        if isinstance(unit, Batch):
            yield from run.read(unit)
        else:
            yield unit


class ReadOptions(TypedDict, total=False):
    """What `read_source` takes beside the paths."""

    format: str | None
    roles: Mapping[str, str] | None
    outcome: str | None
    satisfaction: str | None
    scale: tuple[float, float] | None
    labels: str | PathLike[str] | None


def write_source(
    paths: Paths, workers: int, reading: Reading, **options: Unpack[ReadOptions]
) -> Generator[Written, None, None]:
    """The lines of what `read_source` gives, in the same order, read by so many processes.

    Formats whose conversations are spread over records are put together in this one.
    """
    run = _run(reading, _BATCH, **options)
    yield from written_in_processes(run, _units(run, paths), workers)


def _run(reading: Reading, batch: int, **options: Unpack[ReadOptions]) -> Run:
    form, roles = options.get("format"), options.get("roles")
    labels = labels_of(options.get("outcome"), options.get("satisfaction"), options.get("scale"), options.get("labels"))
    return Run(reading, None if form is None else named(form), _roles(roles or {}), labels, batch)


def _units(run: Run, paths: Paths) -> Iterator[Trace | Reject | Batch]:
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
