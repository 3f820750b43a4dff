"""A stream in, its records out, decoded and each with its place: JSON, server-sent events, a table, or plain text.

What a stream holds, its content decides, never its name.
"""

import codecs
import io
from collections.abc import Iterator
from typing import Final

import orjson

from agent_gym.errors import TraceError
from agent_gym.trace_parser.decode import decoded
from agent_gym.trace_parser.envelope import MAX_DOCUMENT, Record, records
from agent_gym.trace_parser.formats.format import Item
from agent_gym.trace_parser.repairs import Reject, Repairs
from agent_gym.trace_parser.tables import csv_rows, delimiter_of, parquet_rows
from agent_gym.trace_parser.transcript import is_transcript
from agent_gym.trace_parser.unpack import DAMAGE, Member, Stream, damage_in_words

__all__ = ["items"]

_BOM: Final = b"\xef\xbb\xbf"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 2**16


def items(member: Member) -> Iterator[Item | Reject]:
    """Raises `TraceError` for a stream that holds nothing to read."""
    source, stream = member.source, member.stream
    try:
        head = stream.peek(_HEAD)[:_HEAD]
    except DAMAGE as damage:
        raise TraceError(source, None, damage_in_words(damage), "copy or download it again") from None
    if not head:
        raise TraceError(source, None, "the file is empty", "expected conversations as JSON or JSON lines")
    if head.startswith(b"PAR1"):
        yield from (Item(row, source, line) for line, row in parquet_rows(source, stream))
        return
    if encoding := _wide_encoding(head):
        stream = io.BufferedReader(_Recoded(stream, encoding), 2**20)
        head = stream.peek(_HEAD)[:_HEAD]
    if head.startswith(_BOM):
        stream.read(len(_BOM))
        head = head.removeprefix(_BOM)
    if b"\0" in head[:64] or _is_binary(head):  # further on, one bad record may hold one among good ones
        hint = "expected UTF-8 text; a log in protobuf (binary OTLP) has to be exported as JSON"
        raise TraceError(source, None, "it is a binary file, not JSON", hint)
    yield from _text_items(source, stream, head)


def _is_binary(head: bytes) -> bool:
    """Whether it begins with many control characters, as the lengths and tags of protobuf; text may hold a few."""
    return head.lstrip()[:1] not in (b"{", b"[") and sum(byte < 32 and byte not in b"\t\r\n" for byte in head[:64]) > 6


def _text_items(source: str, stream: Stream, head: bytes) -> Iterator[Item | Reject]:
    begin = head.lstrip()
    if begin[:1] not in (b"{", b"["):
        if _is_event_stream(begin):
            yield from _events(source, stream)
            return
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
        if (delimiter := delimiter_of(text)) is not None:
            for row in csv_rows(source, stream, delimiter):
                yield row if isinstance(row, Reject) else Item(row[1], source, row[0])
            return
        if is_transcript(text):
            whole = stream.read(MAX_DOCUMENT).decode("utf-8", "replace")
            yield Item(whole, source, 1)
            return
    for record in records(source, stream):
        yield record if isinstance(record, Reject) else _item(record)


def _item(record: Record) -> Item | Reject:
    try:
        return Item(orjson.loads(record.raw), record.source, record.line, record.raw, record.number)
    except orjson.JSONDecodeError:
        return _mended(record)


def _mended(record: Record) -> Item | Reject:
    notes = Repairs(record.source, record.line, f"record {record.number}: " if record.number else "")
    try:
        return Item(decoded(record.raw, notes), record.source, record.line, record.raw, record.number, notes)
    except TraceError as error:
        return Reject.of(error, record.raw)


def _is_event_stream(begin: bytes) -> bool:
    """Server-sent events: every line of the first few is empty or names one of the four fields."""
    lines = [line for line in begin.splitlines()[:6] if line.strip()]
    return (
        bool(lines)
        and lines[0].startswith((b"data:", b"event:"))
        and all(line.startswith((b"data:", b"event:", b"id:", b"retry:", b":")) for line in lines[:-1])
    )


def _events(source: str, stream: Stream) -> Iterator[Item | Reject]:
    said: list[bytes] = []
    begun = number = 0
    for number, line in enumerate(stream, 1):
        if line.startswith(b"data:"):
            begun = begun if said else number
            said.append(line[5:].strip())
        elif not line.strip() and said:
            yield from _event(source, begun, said)
            said = []
    yield from _event(source, begun, said)


def _event(source: str, line: int, said: list[bytes]) -> Iterator[Item | Reject]:
    raw = b"\n".join(said)
    if raw and raw != b"[DONE]":
        yield _item(Record(source, line, raw))


def _wide_encoding(head: bytes) -> str | None:
    if head.startswith(_WIDE):
        return "utf-16"
    begin = head[:64]
    if len(begin) >= 4 and begin[1::2].count(0) == len(begin[1::2]) and 0 not in begin[::2]:
        return "utf-16-le"
    if len(begin) >= 4 and begin[::2].count(0) == len(begin[::2]) and 0 not in begin[1::2]:
        return "utf-16-be"
    return None


class _Recoded(io.RawIOBase):
    """UTF-16 text as UTF-8."""

    def __init__(self, stream: Stream, encoding: str) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder(encoding)("replace")
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the buffer BufferedReader gives
        ended = False
        while not self._left and not ended:
            raw = self._stream.read1(2**16)
            ended = not raw
            self._left = self._decoder.decode(raw, final=ended).encode("utf-8", "replace")
        chunk, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)
