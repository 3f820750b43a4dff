"""Traces and named JSON sections in, one SQLite file out, and back again.

A gym file is written under another name and renamed, so a killed build leaves nothing half-made, and opened
read-only, so many processes share one. It holds data only: no pickle, and a database with anything but the
tables of this module in it is refused.
"""

import hashlib
import json
import os
import re
import sqlite3
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import orjson

from agent_gym.errors import GymFileError, MessageError
from agent_gym.types import Json, Trace

__all__ = ["GymFile", "is_gym_file", "write_gym"]

APPLICATION_ID = 0x41474D31  # "AGM1"
VERSION = 2
_MAGIC = b"SQLite format 3\0"
_MAX_BODY = 256 * 2**20  # bytes of one unpacked trace: what claims more is an attack or a mistake
# What only the slower reader keeps as it is: integers beyond 64 bits, halves of surrogate pairs.
_DELICATE = re.compile(rb"\d{19}|\\ud[89a-f]", re.IGNORECASE)
_TABLES = {
    "sections": "CREATE TABLE sections (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "traces": "CREATE TABLE traces (position INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL UNIQUE, "
    "split TEXT NOT NULL, body BLOB NOT NULL) STRICT",
    # What was measured of the gym: it is not its content, so the digest does not know of it.
    "reports": "CREATE TABLE reports (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
}
_SINCE = {"reports": 2}  # table → the version that brought it; the others were there from the first


def is_gym_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file is a database at all; `GymFile.open` says whether it is ours."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def write_gym(
    path: str | os.PathLike[str], traces: Iterable[tuple[Trace, str]], sections: Mapping[str, Json]
) -> "GymFile":
    """Write the traces, each with its split, and the sections; an older file at the path is replaced whole."""
    target = Path(path)
    if not target.parent.is_dir():
        raise GymFileError(target, "its folder does not exist", "make the folder first")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    try:
        with closing(sqlite3.connect(name, isolation_level=None)) as database:
            _fill(database, traces, sections)
        os.chmod(name, 0o644)  # the mode of a temporary file would keep others from reading a shared gym
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return GymFile.open(target)


def _fill(database: sqlite3.Connection, traces: Iterable[tuple[Trace, str]], sections: Mapping[str, Json]) -> None:
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {VERSION}")
    for statement in _TABLES.values():
        database.execute(statement)
    database.execute("BEGIN")
    marks = []
    for position, (trace, split) in enumerate(traces):
        body = _packed(trace.to_dict())
        marks.append([split, hashlib.sha256(body).hexdigest()])
        row = (position, trace.conversation_id, split, zlib.compress(body, 6))
        database.execute("INSERT INTO traces VALUES (?, ?, ?, ?)", row)
    rows = {**sections, "content_digest": hashlib.sha256(_packed([marks, dict(sections)])).hexdigest()}
    for name, section in sorted(rows.items()):
        database.execute("INSERT INTO sections VALUES (?, ?)", (name, _packed(section).decode()))
    database.execute("COMMIT")


@dataclass(frozen=True, slots=True)
class GymFile:
    """A checked gym file. Every reading opens it anew, read-only: nothing is held between them."""

    path: Path
    sections: Mapping[str, Json]

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """The file, once everything about it is as it should be; else a `GymFileError` that says what is not."""
        found = Path(path)
        if not found.is_file():
            raise GymFileError(found, "there is no such file", "build it with `agent-gym build LOGS -o FILE`")
        if not is_gym_file(found):
            raise GymFileError(found, "it is not a gym file", "build one from traces with `agent-gym build`")
        try:
            with closing(_connect(found)) as database:
                _check(found, database)
                rows = database.execute("SELECT name, body FROM sections").fetchall()
            return cls(found, {name: _read(body.encode()) for name, body in rows})
        except sqlite3.DatabaseError as error:
            raise GymFileError(found, f"it is damaged: {error}", "build it again") from error
        except ValueError as error:
            raise GymFileError(found, f"a section of it is no JSON: {error}", "build it again") from error

    @property
    def content_digest(self) -> str:
        """The same sources and options give the same digest, whenever and wherever the file was built."""
        return str(self.sections.get("content_digest", ""))

    def report(self, name: str) -> Json:
        """What `keep` was last given under this name, or None."""
        try:
            with closing(_connect(self.path)) as database:
                if not _has_reports(database):
                    return None
                row = database.execute("SELECT body FROM reports WHERE name = ?", (name,)).fetchone()
                return _read(row[0].encode()) if row is not None else None
        except (sqlite3.DatabaseError, ValueError) as error:
            raise GymFileError(self.path, f"a report in it is damaged: {error}", "measure it again") from error

    def keep(self, name: str, report: Json) -> None:
        """Store a report beside the content, which stays as it is; a gym of an older version is brought up to date."""
        try:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
                database.execute("PRAGMA trusted_schema = OFF")
                database.execute("BEGIN IMMEDIATE")
                if not _has_reports(database):
                    database.execute(_TABLES["reports"])
                    database.execute(f"PRAGMA user_version = {VERSION}")
                database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?)", (name, _packed(report).decode()))
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise GymFileError(self.path, f"a report cannot be kept in it: {error}", "is the file writable?") from error

    def traces(self) -> Iterator[tuple[Trace, str]]:
        """Every trace with its split, in the order it was written."""
        try:
            with closing(_connect(self.path)) as database:
                for split, body in database.execute("SELECT split, body FROM traces ORDER BY position"):
                    yield Trace.of(_read(_unpacked(self.path, body))), split
        except (sqlite3.DatabaseError, zlib.error, ValueError, KeyError, MessageError) as error:
            raise GymFileError(self.path, f"it is damaged: {error}", "build it again") from error


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    # A schema may hold expressions that run on reading; a gym file needs none.
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA mmap_size = 1073741824")
    return database


def _has_reports(database: sqlite3.Connection) -> bool:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return bool(version >= _SINCE["reports"])


def _check(path: Path, database: sqlite3.Connection) -> None:
    if database.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise GymFileError(path, "it is a database of another program", "build one with `agent-gym build`")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise GymFileError(
            path, f"it is of version {version}, newer than this program's {VERSION}", "upgrade agent-gym"
        )
    found = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    wanted = {name: sql for name, sql in _TABLES.items() if _SINCE.get(name, 1) <= version}
    if found != wanted:
        odd = sorted(set(found) ^ set(wanted)) or sorted(found)
        raise GymFileError(path, f"its tables are not those of a gym: {', '.join(odd)}", "build it again")
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise GymFileError(path, f"it is damaged: {verdict}", "build it again")


def _unpacked(path: Path, body: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(body, _MAX_BODY)
    if unpacker.unconsumed_tail:
        raise GymFileError(path, f"one of its traces is larger than {_MAX_BODY:,} bytes", "build it again")
    return text


def _packed(value: Json) -> bytes:
    """Exact JSON: nothing rounded, nothing sorted, no string taken apart."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def _read(text: bytes) -> Json:
    return json.loads(text) if _DELICATE.search(text) else orjson.loads(text)
