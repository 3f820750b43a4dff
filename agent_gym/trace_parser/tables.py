"""A CSV or Parquet file in, its rows out as objects: cells that hold JSON are read, nulls of Arrow left out."""

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from agent_gym.errors import TraceError
from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.unpack import Stream
from agent_gym.types import Json

if TYPE_CHECKING:
    import _csv

__all__ = ["csv_rows", "delimiter_of", "parquet_rows"]

_DELIMITERS: Final = (",", "\t", ";", "|")
_CELL = 64 * 2**20  # characters of one cell


def delimiter_of(head: str) -> str | None:
    """What separates the columns, None where the text is no table: a header of short names, and rows as long as it."""
    if any(line.lstrip()[:1] in ("{", "[") for line in head.splitlines()):
        return None
    for delimiter in _DELIMITERS:
        try:
            rows = [row for row in csv.reader(io.StringIO(head), delimiter=delimiter) if row]
        except csv.Error:
            continue
        header, body = rows[0] if rows else [], rows[1:]
        if len(header) < 2 or not body or not _is_header(header):
            continue
        whole = body if head.endswith("\n") else body[:-1] or body  # the head may end within the last row
        if sum(len(row) == len(header) for row in whole) >= 0.6 * len(whole):
            return delimiter
    return None


def csv_rows(source: str, stream: Stream, delimiter: str) -> Iterator[tuple[int, Json] | Reject]:
    """The line a row begins on, and the row."""
    # One cell may hold a whole conversation; the limit is a setting of the csv module as a whole.
    csv.field_size_limit(_CELL)
    lines = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    try:
        yield from _rows(source, csv.reader(lines, delimiter=delimiter, strict=False))
    finally:
        lines.detach()  # whoever opened the stream closes it


def _rows(source: str, reader: "_csv.Reader") -> Iterator[tuple[int, Json] | Reject]:
    header = [name.strip() for name in next(reader, [])]
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield Reject(source, line, f"the row cannot be read: {error}", "write the table with a CSV library")
            continue
        if row is None:
            return
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header):
            reason = f"the row has {len(row)} cells, the header {len(header)}"
            yield Reject(source, line, reason, "put quotes around cells that hold the separator", repr(row))
            continue
        yield line, {name: _cell(cell) for name, cell in zip(header, row, strict=False) if cell != ""}


def parquet_rows(source: str, stream: Stream) -> Iterator[tuple[int, Json]]:
    try:
        import pyarrow  # noqa: PLC0415  # an optional dependency
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        hint = "install it with: pip install 'agent-gym[parquet]', or write the rows as JSON lines"
        raise TraceError(source, None, "it is a Parquet file, which needs the package pyarrow", hint) from None
    number = 0
    try:
        for batch in parquet.ParquetFile(io.BytesIO(stream.read())).iter_batches(batch_size=256):
            for row in batch.to_pylist():
                number += 1
                yield number, _unfilled(row)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise TraceError(source, None, f"the Parquet file is damaged: {error}", "write or copy it again") from None


def _is_header(cells: list[str]) -> bool:
    names = [cell.strip() for cell in cells]
    return len(set(names)) == len(names) and all(0 < len(name) <= 60 and not name.isdigit() for name in names)


def _cell(cell: str) -> Json:
    if cell[:1] in ("[", "{") and (value := json_in(cell)) is not None:
        return value
    return cell


def _unfilled(value: Json) -> Json:
    """Arrow gives every object of a column the keys of all the others, as nulls; text that is JSON is read as it is."""
    if isinstance(value, dict):
        return {key: _unfilled(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_unfilled(inner) for inner in value]
    if isinstance(value, str):
        return _cell(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
