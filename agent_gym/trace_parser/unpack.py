"""A file in, the streams of text in it out: itself, what gzip or zstd packed, or the members of a zip archive."""

import gzip
import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, Protocol, TypeAlias

from agent_gym.errors import TraceError
from agent_gym.trace_parser.files import unreadable
from agent_gym.trace_parser.repairs import Reject

__all__ = ["DAMAGE", "MAX_MEMBERS", "MAX_UNPACKED", "Member", "Stream", "damage_in_words", "members"]

MAX_MEMBERS = 20_000  # of one zip archive
MAX_UNPACKED = 64 * 2**30  # bytes of one packed file or archive
_BOMB = 2**26  # bytes from which on a file that unpacks more than 200-fold is taken for a bomb
_BOMB_RATIO = 200
_BUFFER = 2**20
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


Stream: TypeAlias = "io.BufferedReader[Any]"


class _Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


class TooLarge(OSError):
    """Packed data that unpacks to more than is sane."""


DAMAGE: Final = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile, TooLarge)


def damage_in_words(damage: Exception) -> str:
    if isinstance(damage, TooLarge):
        return f"the packed data is a bomb: {damage}"
    kind = "zip" if isinstance(damage, zipfile.BadZipFile) else "gzip"
    return f"the {kind} data is damaged from here on: {damage}"


@dataclass(frozen=True, slots=True)
class Member:
    """One stream of a file. `file` names the file it came from, `source` the stream itself."""

    source: str
    file: str
    stream: Stream
    position: Callable[[], int]  # how many bytes of the file have been read


def members(path: str) -> Iterator[Member | Reject]:
    """Raises `TraceError` for a file that cannot be opened; a member that may not be read is a reject."""
    try:
        with io.BufferedReader(Path(path).open("rb", buffering=0), _BUFFER) as file:
            head = file.peek(4)[:4]
            size = Path(path).stat().st_size
            if head == b"PK\x03\x04":
                yield from _of_zip(path, file, size)
            elif head[:2] == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=file) as packed:
                    yield Member(path, path, _bounded(packed, size), file.tell)
            elif head == _ZSTD:
                yield Member(path, path, _bounded(_zstd(path, file), size), file.tell)
            else:
                yield Member(path, path, file, file.tell)
    except IsADirectoryError:
        raise TraceError(path, None, "it is a folder, not a file", "give one of the files in it") from None
    except DAMAGE:
        raise
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError as error:  # a name that no file system takes, such as one with a null byte
        raise TraceError(repr(path), None, f"it cannot be opened: {error}", "give the path of a file") from None


def _of_zip(path: str, file: Stream, size: int) -> Iterator[Member | Reject]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise TraceError(path, None, f"the zip archive is damaged: {error}", "copy or download it again") from None
    with archive:
        listed = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(listed) > MAX_MEMBERS:
            reason = f"the archive holds {len(listed):,} files; {MAX_MEMBERS:,} are read at most"
            raise TraceError(path, None, reason, "unpack it and give the folder")
        for entry in listed:
            source = f"{path}!{entry.filename}"
            if reason := _forbidden(entry):
                yield Reject(source, None, reason, "unpack the archive and look at this file by hand")
                continue
            try:
                with archive.open(entry) as packed, closing(_unpacked(source, packed, size)) as stream:
                    yield Member(source, path, stream, file.tell)
            except (NotImplementedError, RuntimeError) as error:
                hint = "unpack it first; method 93 is zstd" if isinstance(error, NotImplementedError) else "unpack it"
                yield Reject(source, None, f"it cannot be unpacked: {error}", hint)


def _unpacked(source: str, packed: _Readable, size: int) -> Stream:
    """A member of an archive, which may itself be packed."""
    stream = _bounded(packed, size)
    head = stream.peek(4)[:4]
    if head[:2] == b"\x1f\x8b":
        return _bounded(gzip.GzipFile(fileobj=stream), size)
    return _bounded(_zstd(source, stream), size) if head == _ZSTD else stream


def _forbidden(entry: zipfile.ZipInfo) -> str:
    """Why a member is not read; "" where it is."""
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    if name.is_absolute() or ".." in name.parts:
        return "its name leads out of the archive"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link, not a file"
    if entry.flag_bits & 0x1:
        return "it is encrypted"
    return ""


def _zstd(source: str, file: Stream) -> _Readable:
    try:
        import zstandard  # noqa: PLC0415  # an optional dependency
    except ImportError:
        hint = "install it with: pip install 'agent-gym[zstd]', or unpack the file first with: unzstd"
        raise TraceError(source, None, "it is zstd data, which needs the package zstandard", hint) from None
    reader: _Readable = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return reader


class _Bounded(io.RawIOBase):
    """Reads on until the data is larger than anybody's log."""

    def __init__(self, packed: _Readable, size: int) -> None:
        self._take = getattr(packed, "read1", packed.read)  # hands out what there is before it meets damage
        self._size, self._read = size, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # the buffer BufferedReader gives
        chunk = self._take(min(len(buffer), _BUFFER))
        buffer[: len(chunk)] = chunk
        self._read += len(chunk)
        if self._read > MAX_UNPACKED or (self._read > _BOMB and self._read > self._size * _BOMB_RATIO):
            raise TooLarge(f"it unpacks to more than {self._read >> 20} MB")
        return len(chunk)


def _bounded(packed: _Readable, size: int) -> Stream:
    return io.BufferedReader(_Bounded(packed, size), _BUFFER)
