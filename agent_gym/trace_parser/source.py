"""Files, folders and globs in; conversations out as they are read, whatever format they are in, and the rejects."""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike

from agent_gym.trace_parser.read import stream
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.repairs import Reject
from agent_gym.types import Trace

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
    """
    reading = Reading() if reading is None else reading
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        for item in stream(path, repairs=reading.repairs):
            if isinstance(item, Reject):
                reading.reject(item)
            else:
                reading.accepted += 1
                reading.conversations += 1
                reading.formats["trace_schema"] += 1
            yield item
