"""A gym file in, its rows out: read-only and shared, by the threads of a process and by many processes."""

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from agent_gym.errors import GymFileError
from agent_gym.store.packing import unpacked
from agent_gym.types import Json

__all__ = ["DICTIONARY", "PATIENCE", "TRACES", "Reader", "StoredShelf", "connected", "trace_key"]

DICTIONARY, TRACES = "dictionary", "traces"  # a part, and a shelf
_BLOCKS_AT_HAND = 128  # of all shelves together
PATIENCE = 60.0  # seconds that who reads a gym in the making and who writes it wait for one another


def trace_key(position: int) -> bytes:
    """What a trace is found by on its shelf, so that they stand in their order."""
    return b"%09d" % position


def connected(path: Path) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro"
    database = sqlite3.connect(address, uri=True, check_same_thread=False, timeout=PATIENCE)
    # A schema may hold expressions that run on reading; a gym file needs none.
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA mmap_size = 1073741824")
    database.execute("PRAGMA cache_size = -512")  # what is mapped need not be kept twice
    return database


class Reader:
    """One connection a process, opened when it is first needed; a forked process opens its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._owner = 0  # the process that opened the connection
        self._database: sqlite3.Connection | None = None
        self.block = lru_cache(maxsize=_BLOCKS_AT_HAND)(self._block)

    def rows(self, statement: str, *values: int | str | bytes) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._connection().execute(statement, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self.damaged(error) from error

    def damaged(self, why: object) -> GymFileError:
        return GymFileError(self.path, f"it is damaged: {why}", "build it again")

    def part(self, name: str) -> bytes:
        """KeyError for what the file does not hold."""
        rows = self.rows("SELECT body FROM parts WHERE name = ?", name)
        if not rows:
            raise KeyError(name)
        body: bytes = rows[0][0]
        return body

    @cached_property
    def dictionary(self) -> bytes:
        """What its traces and blocks were packed with; nothing, in a file without traces."""
        rows = self.rows("SELECT body FROM parts WHERE name = ?", DICTIONARY)
        return rows[0][0] if rows else b""

    @cached_property
    def traces(self) -> "StoredShelf":
        return self.shelf(TRACES)

    def section(self, name: str) -> Json:
        try:
            return unpacked(self.part(name))
        except ValueError as error:
            raise self.damaged(error) from error

    def shelf(self, name: str) -> "StoredShelf":
        rows = self.rows("SELECT number, entries FROM shelves WHERE name = ?", name)
        if not rows:
            raise KeyError(name)
        return StoredShelf(self, *rows[0])

    def _block(self, shelf: int, first: bytes) -> dict[str, Json]:
        rows = self.rows("SELECT body FROM blocks WHERE shelf = ? AND first = ?", shelf, first)
        try:
            return dict(unpacked(rows[0][0], self.dictionary))
        except (ValueError, TypeError) as error:
            raise self.damaged(error) from error

    def _connection(self) -> sqlite3.Connection:
        if self._database is None or self._owner != os.getpid():
            self._owner, self._database = os.getpid(), connected(self.path)
            weakref.finalize(self, self._database.close)
        return self._database


class StoredShelf:
    """A shelf in a gym file: a key is looked for in the one block that may hold it."""

    def __init__(self, reader: Reader, number: int, entries: int) -> None:
        self._reader, self._number, self._entries = reader, number, entries

    def __len__(self) -> int:
        return self._entries

    def damaged(self, why: object) -> GymFileError:
        return self._reader.damaged(why)

    def get(self, key: bytes) -> Json:
        statement = "SELECT first FROM blocks WHERE shelf = ? AND first <= ? ORDER BY first DESC LIMIT 1"
        rows = self._reader.rows(statement, self._number, key)
        return self._reader.block(self._number, rows[0][0]).get(key.decode()) if rows else None

    def entries(self) -> Iterator[tuple[bytes, Json]]:
        for (first,) in self._reader.rows("SELECT first FROM blocks WHERE shelf = ? ORDER BY first", self._number):
            for key, value in self._reader.block(self._number, first).items():
                yield key.encode(), value
