"""A file in, the bytes of its records out, each with its line: JSONL, a JSON array, an object or a wrapper, gz.

JSONL is read line by line, so memory does not grow with the file. A JSON document (an array, or an object over
several lines) is loaded whole, as bytes; its records are decoded one at a time. What a file is, its content
decides, never its name.
"""

import difflib
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from agent_gym.errors import TraceError
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.split import is_complete, record_spans

__all__ = ["MAX_DOCUMENT", "MAX_RECORD", "Record", "records"]

MAX_RECORD = 64 * 2**20  # bytes of one line
MAX_DOCUMENT = 2**30  # bytes of one JSON document; JSONL has no such limit

Stream = io.BufferedReader | gzip.GzipFile

_BOM = b"\xef\xbb\xbf"
_AS_UTF8 = "save it as UTF-8, for example with: iconv -f utf-16 -t utf-8"
_NOT_TEXT = {
    b"PK\x03\x04": ("a zip archive", "unpack it first"),
    b"\x28\xb5\x2f\xfd": ("zstd data", "unpack it first, for example with: unzstd"),
    b"PAR1": ("a Parquet file", "write its rows as JSON lines first"),
    b"\xff\xfe": ("UTF-16 text", _AS_UTF8),
    b"\xfe\xff": ("UTF-16 text", _AS_UTF8),
}
_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class Record:
    """One record's bytes. `number` counts the records of a JSON document from 1; 0 for a line of its own."""

    source: str
    line: int
    raw: bytes
    number: int = 0


def records(path: str | Path) -> Iterator[Record | Reject]:
    """Raises `TraceError` for a file that cannot be read at all; of a damaged one the whole records are read."""
    source = str(path)
    with _opened(path) as file:
        try:
            found = _of_stream(source, gzip.GzipFile(fileobj=file) if _is_gzip(file) else file)
            first = next(found, None)
            if first is None:
                hint = "expected one conversation a line, or a JSON array of them"
                raise TraceError(source, None, "it holds no conversations", hint)
            yield from chain([first], found)
        except OSError as error:
            raise _unreadable(source, error) from None


def _opened(path: str | Path) -> io.BufferedReader:
    try:
        return io.BufferedReader(Path(path).open("rb", buffering=0), 2**20)
    except OSError as error:
        raise _unreadable(str(path), error) from None
    except ValueError as error:  # a name that no file system takes, such as one with a null byte
        raise TraceError(repr(path), None, f"it cannot be opened: {error}", "give the path of a file") from None


def _is_gzip(file: io.BufferedReader) -> bool:
    return file.peek(2)[:2] == b"\x1f\x8b"


def _unreadable(source: str, error: OSError) -> TraceError:
    if isinstance(error, IsADirectoryError):
        return TraceError(source, None, "it is a folder, not a file", "give one of the files in it")
    if isinstance(error, PermissionError):
        return TraceError(source, None, "there is no permission to read it", "change its permissions or copy it")
    if source.lstrip()[:1] in ("{", "["):
        return TraceError(f"{source[:40]!r}…", None, "this is text, not a path", "parse it first with json.loads")
    if isinstance(error, FileNotFoundError):
        return TraceError(source, None, "there is no such file", _near_name(Path(source)))
    return TraceError(source[:200], None, f"it cannot be read: {error.strerror or error}", "check the path")


def _near_name(path: Path) -> str:
    try:
        siblings = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return f"there is no folder {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, siblings, n=1)
    return f"did you mean {near[0]!r}?" if near else "check the path"


def _of_stream(source: str, stream: Stream) -> Iterator[Record | Reject]:
    try:
        head = _checked_head(source, stream)
    except _DAMAGE as damage:
        raise _damaged(source, None, damage).error() from None
    if head[:1] == b"[":
        yield from _document(source, 1, b"", stream)
        return
    lines = _lines(source, stream)
    first = next(lines, None)
    if first is None:
        return
    if isinstance(first, Record) and first.raw[:1] == b"{" and first.raw[-1:] in b"{[,:":
        # Laid out over several lines, unless the first line of a JSONL file was cut off just there.
        yield from _document(source, first.line, first.raw + b"\n", stream)
        return
    second = next(lines, None)
    if isinstance(first, Record) and second is None:
        yield from _spans(source, first.line, first.raw)
    else:
        yield from chain([first], [] if second is None else [second], lines)


def _checked_head(source: str, stream: Stream) -> bytes:
    """The first bytes behind the byte order mark, once they are known to be text."""
    head = stream.peek(4096)[:4096]
    if not head:
        raise TraceError(source, None, "the file is empty", "expected conversations as JSON or JSON lines")
    for magic, (kind, hint) in _NOT_TEXT.items():
        if head.startswith(magic):
            raise TraceError(source, None, f"it is {kind}, not JSON", hint)
    if b"\0" in head[:64]:  # further on, one bad record may hold one among good ones
        raise TraceError(source, None, "it is a binary file, not JSON", "expected UTF-8 text")
    if head.startswith(_BOM):
        stream.read(len(_BOM))
        head = head.removeprefix(_BOM)
    return head.lstrip()


def _lines(source: str, stream: Stream | io.BytesIO, number: int = 0) -> Iterator[Record | Reject]:
    """The lines that are not blank, without their ends; a line over the limit is passed over unread."""
    while True:
        number += 1
        try:
            raw = stream.readline(MAX_RECORD + 1)
            too_long = len(raw) > MAX_RECORD and not raw.endswith(b"\n")
            size = len(raw) + (_passed_over(stream) if too_long else 0)
        except _DAMAGE as damage:
            yield _damaged(source, number, damage)
            return
        if too_long:
            yield _too_long(source, number, size)
        elif not raw:
            return
        elif stripped := raw.strip():
            yield Record(source, number, stripped)


def _passed_over(stream: Stream | io.BytesIO) -> int:
    """The length of the rest of a line that is not kept."""
    size = 0
    while rest := stream.readline(2**20):
        size += len(rest)
        if rest.endswith(b"\n"):
            break
    return size


def _document(source: str, line: int, begun: bytes, stream: Stream) -> Iterator[Record | Reject]:
    """A JSON document whose first bytes are `begun`, from `line` on; lines after all if it does not hold together."""
    chunks, size, damage = [begun], len(begun), None
    try:
        while chunk := stream.read1(2**20):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_DOCUMENT:
                reason = f"the JSON document is longer than {MAX_DOCUMENT >> 20} MB"
                raise TraceError(source, None, reason, "write one conversation a line (JSONL): it has no such limit")
    except _DAMAGE as error:
        damage = error
    document = b"".join(chunks)
    del chunks
    if begun and not is_complete(document, 0):
        yield from _lines(source, io.BytesIO(document), line - 1)
    else:
        yield from _spans(source, line, document)
    if damage is not None:
        yield _damaged(source, line + document.count(b"\n"), damage)


def _spans(source: str, line: int, document: bytes) -> Iterator[Record]:
    counted = 0
    for number, (start, end) in enumerate(record_spans(document), 1):
        line += document.count(b"\n", counted, start)
        counted = start
        yield Record(source, line, document[start:end], number)


def _damaged(source: str, line: int | None, damage: Exception) -> Reject:
    hint = "copy or download the file again; what came before this point was read"
    return Reject(source, line, f"the gzip data is damaged from here on: {damage}", hint)


def _too_long(source: str, line: int, size: int) -> Reject:
    reason = f"the line is {size >> 20} MB long; a record may have {MAX_RECORD >> 20} MB"
    return Reject(source, line, reason, "if it is an array of conversations, write one a line")
