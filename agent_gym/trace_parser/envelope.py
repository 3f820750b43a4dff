"""A stream of JSON text in, the bytes of its records out, each with its line: JSONL, an array, an object or a wrapper.

JSONL is read line by line, so memory does not grow with the file. A JSON document (an array, or an object over
several lines) is loaded whole, as bytes; its records are decoded one at a time.
"""

import io
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from agent_gym.errors import TraceError
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.split import is_complete, record_spans
from agent_gym.trace_parser.unpack import DAMAGE, Stream, damage_in_words

__all__ = ["MAX_DOCUMENT", "MAX_RECORD", "Record", "records"]

MAX_RECORD = 64 * 2**20  # bytes of one line
MAX_DOCUMENT = 2**30  # bytes of one JSON document; JSONL has no such limit
_HEAD = 2**18


class Record(NamedTuple):
    """One record's bytes. `number` counts the records of a JSON document from 1; 0 for a line of its own."""

    source: str
    line: int
    raw: bytes
    number: int = 0


def records(source: str, stream: Stream) -> Iterator[Record | Reject]:
    """The records of a stream of JSON text; of a damaged one those that are whole."""
    head = stream.peek(_HEAD)[:_HEAD]
    if head.lstrip()[:1] == b"[" and not _is_array_a_line(head):
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


def _is_array_a_line(head: bytes) -> bool:
    """Whether every line is an array by itself, as far as the head shows, rather than part of one."""
    lines = [line.strip() for line in head.lstrip().split(b"\n") if line.strip()]
    if len(lines) < 2 or not lines[0].endswith(b"]"):
        return False
    return is_complete(lines[0], 0) and lines[1].startswith((b"[", b"{"))


def _lines(source: str, stream: "Stream | io.BytesIO", number: int = 0) -> Iterator[Record | Reject]:
    """The lines that are not blank, without their ends; a line over the limit is passed over unread."""
    while True:
        number += 1
        try:
            raw = stream.readline(MAX_RECORD + 1)
            too_long = len(raw) > MAX_RECORD and not raw.endswith(b"\n")
            size = len(raw) + (_passed_over(stream) if too_long else 0)
        except DAMAGE as damage:
            yield _damaged(source, number, damage)
            return
        if too_long:
            yield _too_long(source, number, size)
        elif not raw:
            return
        elif stripped := raw.strip():
            yield Record(source, number, stripped)


def _passed_over(stream: "Stream | io.BytesIO") -> int:
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
    except DAMAGE as error:
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
    return Reject(source, line, damage_in_words(damage), hint)


def _too_long(source: str, line: int, size: int) -> Reject:
    reason = f"the line is {size >> 20} MB long; a record may have {MAX_RECORD >> 20} MB"
    return Reject(source, line, reason, "if it is an array of conversations, write one a line")
