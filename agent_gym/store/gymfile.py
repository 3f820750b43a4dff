"""The path of a gym file in, what it holds out: its description at once, traces and parts as they are asked for.

It holds data only: no pickle, and a database with anything but the tables of a gym in it is refused.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from agent_gym.errors import GymFileError, MessageError
from agent_gym.keeping import Kept, read_json, written_json
from agent_gym.store.packing import unpacked
from agent_gym.store.reading import Reader, connected
from agent_gym.store.schema import SINCE, TABLES, check_tables, is_gym_file
from agent_gym.types import Json, Trace

__all__ = ["GymFile"]

_BATCH = 64  # traces read at a time


@dataclass(frozen=True, slots=True)
class GymFile:
    """A checked gym file."""

    path: Path
    sections: Mapping[str, Json]
    version: int
    _reader: Reader = field(repr=False, compare=False)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """The file, once its header, tables and pages are as they should be; else a `GymFileError` that says why."""
        found = Path(path)
        if not found.is_file():
            raise GymFileError(found, "there is no such file", "build it with `agent-gym build LOGS -o FILE`")
        if not is_gym_file(found):
            raise GymFileError(found, "it is not a gym file", "build one from traces with `agent-gym build`")
        try:
            with closing(connected(found)) as database:
                version = check_tables(found, database)
                rows = database.execute("SELECT name, body FROM sections").fetchall()
            return cls(found, {name: read_json(body.encode()) for name, body in rows}, version, Reader(found))
        except sqlite3.DatabaseError as error:
            raise GymFileError(found, f"it is damaged: {error}", "build it again") from error
        except ValueError as error:
            raise GymFileError(found, f"a section of it is no JSON: {error}", "build it again") from error

    @property
    def content_digest(self) -> str:
        """The same sources and options give the same digest, whenever and wherever the file was built."""
        return str(self.sections.get("content_digest", ""))

    @property
    def parts(self) -> Kept | None:
        """What was mined; None in a file of a version that kept no such thing."""
        return self._reader if self.version >= SINCE["parts"] else None

    def traces(self) -> Iterator[tuple[Trace, str]]:
        """Every trace with its split, in the order it was written."""
        after = -1
        while rows := self._reader.rows(
            "SELECT position, split, body FROM traces WHERE position > ? ORDER BY position LIMIT ?", after, _BATCH
        ):
            for position, split, body in rows:
                yield self._trace(body), split
                after = position

    def trace(self, conversation_id: str) -> Trace | None:
        rows = self._reader.rows("SELECT body FROM traces WHERE conversation_id = ?", conversation_id)
        return self._trace(rows[0][0]) if rows else None

    def _trace(self, body: bytes) -> Trace:
        try:
            return Trace.of(unpacked(body, self._reader.dictionary if self.version >= SINCE["parts"] else b""))
        except (ValueError, TypeError, KeyError, AttributeError, MessageError) as error:
            raise self._reader.damaged(error) from error

    def sizes(self) -> dict[str, int]:
        """Bytes of what is packed, by table."""
        tables = [name for name in ("traces", "parts", "blocks") if SINCE.get(name, 1) <= self.version]
        found = {name: self._reader.rows(f"SELECT sum(length(body)) FROM {name}") for name in tables}  # noqa: S608  # ours
        return {name: rows[0][0] or 0 for name, rows in found.items()}

    def reports(self) -> list[str]:
        """The names of what was measured."""
        if self.version < SINCE["reports"]:
            return []
        return [name for (name,) in self._reader.rows("SELECT name FROM reports ORDER BY name")]

    def report(self, name: str) -> Json:
        """What `keep` was last given under this name, or None."""
        if self.version < SINCE["reports"]:
            return None
        rows = self._reader.rows("SELECT body FROM reports WHERE name = ?", name)
        try:
            return read_json(rows[0][0].encode()) if rows else None
        except ValueError as error:
            raise GymFileError(self.path, f"a report in it is damaged: {error}", "measure it again") from error

    def keep(self, name: str, report: Json) -> None:
        """Store a report beside the content, which stays as it is; a gym of the first version gets room for it."""
        try:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
                database.execute("PRAGMA trusted_schema = OFF")
                database.execute("BEGIN IMMEDIATE")
                if self.version < SINCE["reports"]:
                    database.execute(TABLES["reports"])
                    database.execute(f"PRAGMA user_version = {SINCE['reports']}")
                row = (name, written_json(report).decode())
                database.execute("INSERT OR REPLACE INTO reports VALUES (?, ?)", row)
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise GymFileError(self.path, f"a report cannot be kept in it: {error}", "is the file writable?") from error
