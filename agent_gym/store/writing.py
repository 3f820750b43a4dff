"""Traces, sections and shelves in, one gym file out: whole and under its name, or not at all.

It is written under another name beside its place and moved there at the end. Whoever writes it holds it alone.
"""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Protocol

from agent_gym.errors import GymFileError
from agent_gym.keeping import written_json
from agent_gym.store.packing import dictionary_of, packed
from agent_gym.store.reading import DICTIONARY, PATIENCE, TRACES, trace_key
from agent_gym.store.schema import make_tables
from agent_gym.types import Json, Trace

__all__ = ["GymWriter", "writing"]

_PLAN, _DONE = "plan", "done: "
# Bytes of the entries, and of the traces, that are packed together: more are packed better and read slower.
_BLOCK, _PACK = 12 * 2**10, 32 * 2**10


class Traces(Protocol):
    """Traces that can be gone through more than once: a list, a `Corpus`."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Trace]: ...


class GymWriter:
    """A gym in the making; a `Keeper` of the parts. `path` is where it is until it is done."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self._database, self.path = database, path

    def is_done(self, stage: str) -> bool:
        rows = self._database.execute("SELECT 1 FROM sections WHERE name = ?", (f"{_DONE}{stage}",))
        return rows.fetchone() is not None

    def done(self, stage: str) -> None:
        """All that was written so far stays, whatever happens to what comes after."""
        self._database.execute("INSERT INTO sections VALUES (?, 'true')", (f"{_DONE}{stage}",))
        self._database.execute("COMMIT")
        self._database.execute("BEGIN")

    def forget_plan(self) -> None:
        self._database.execute("DELETE FROM sections WHERE name = ? OR name LIKE ?", (_PLAN, f"{_DONE}%"))

    def traces(self, traces: Traces, split: Callable[[str], str]) -> str:
        """Write the traces, each with the split of its id; the digest of all of them."""
        dictionary = dictionary_of((written_json(trace.to_dict()) for trace in traces), len(traces))
        self._database.execute("INSERT INTO parts VALUES (?, ?)", (DICTIONARY, dictionary))
        marks = hashlib.sha256()

        def entries() -> Iterator[tuple[bytes, Json]]:
            for position, trace in enumerate(traces):
                value, side = trace.to_dict(), split(trace.conversation_id)
                marks.update(written_json([side, hashlib.sha256(written_json(value)).hexdigest()]))
                row = (position, trace.conversation_id, side, b"")
                self._database.execute("INSERT INTO traces VALUES (?, ?, ?, ?)", row)
                yield trace_key(position), value

        self._shelve(TRACES, entries(), _PACK)
        return marks.hexdigest()

    def _dictionary(self) -> bytes:
        """What traces and blocks are packed with: blocks hold what the traces hold."""
        row = self._database.execute("SELECT body FROM parts WHERE name = ?", (DICTIONARY,)).fetchone()
        return row[0] if row is not None else b""

    def describe(self, sections: Mapping[str, Json]) -> None:
        """Small values that are read whenever the file is opened."""
        rows = [(name, written_json(section).decode()) for name, section in sorted(sections.items())]
        self._database.executemany("INSERT OR REPLACE INTO sections VALUES (?, ?)", rows)

    def section(self, name: str, value: Json) -> None:
        self._database.execute("INSERT INTO parts VALUES (?, ?)", (name, packed(value)))

    def shelf(self, name: str, entries: Iterable[tuple[bytes, Json]]) -> None:
        self._shelve(name, sorted(entries, key=lambda entry: entry[0]), _BLOCK)

    def _shelve(self, name: str, ordered: Iterable[tuple[bytes, Json]], size: int) -> None:
        added = self._database.execute("INSERT INTO shelves (name, entries) VALUES (?, 0)", (name,))
        shelf, entries, dictionary = added.lastrowid, 0, self._dictionary()
        for block in _blocks(ordered, size):
            body = packed([[key.decode(), value] for key, value in block], dictionary)
            self._database.execute("INSERT INTO blocks VALUES (?, ?, ?)", (shelf, block[0][0], body))
            entries += len(block)
        self._database.execute("UPDATE shelves SET entries = ? WHERE number = ?", (entries, shelf))


def _blocks(entries: Iterable[tuple[bytes, Json]], enough: int) -> Iterator[list[tuple[bytes, Json]]]:
    block: list[tuple[bytes, Json]] = []
    size = 0
    for key, value in entries:
        block.append((key, value))
        size += len(key) + len(written_json(value))
        if size >= enough:
            yield block
            block, size = [], 0
    if block:
        yield block


@contextmanager
def writing(path: str | os.PathLike[str], plan: Json = None) -> Iterator[GymWriter]:
    """A new gym, at its path when the block ends well; an older one there is replaced, and stays where it does not.

    With a `plan`, what Ctrl-C or a crash left of a gym of the same plan is gone on with.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise GymFileError(target, "its folder does not exist", "make the folder first")
    part = target.with_name(f".{target.name}.part")
    with _alone(target):
        database = _begun(part, plan)
        try:
            writer = GymWriter(database, part)
            yield writer
            writer.forget_plan()
            database.execute("COMMIT")
            database.close()
            part.replace(target)
        except BaseException as error:
            database.close()
            if plan is None or not isinstance(error, KeyboardInterrupt):
                _remove(part)
            if isinstance(error, sqlite3.OperationalError):
                raise GymFileError(target, f"it cannot be written: {error}", "is there room on the disk?") from error
            raise


@contextmanager
def _alone(target: Path) -> Iterator[None]:
    """Two who write one file at once would mix their rows; the lock of one that died is free."""
    lock = target.with_name(f".{target.name}.lock")
    with ExitStack() as stack:
        try:
            database = stack.enter_context(closing(sqlite3.connect(lock, isolation_level=None, timeout=0)))
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                what = "wait for it, or choose another name"
                raise GymFileError(target, "another build is writing it", what) from error
            raise GymFileError(target, f"it cannot be written: {error}", "may you write to its folder?") from error
        stack.callback(lock.unlink, missing_ok=True)
        yield


def _begun(part: Path, plan: Json) -> sqlite3.Connection:
    """The database of a gym in the making: the one that was left, if it is of the plan, else a new one."""
    wanted = written_json(plan).decode()
    if plan is not None and part.exists():
        database = sqlite3.connect(part, isolation_level=None, timeout=PATIENCE)
        try:
            if database.execute("SELECT body FROM sections WHERE name = ?", (_PLAN,)).fetchone() == (wanted,):
                return _ready(database)
        except sqlite3.DatabaseError:  # torn: it is begun anew
            pass
        database.close()
    _remove(part)
    database = sqlite3.connect(part, isolation_level=None, timeout=PATIENCE)
    make_tables(database)
    if plan is not None:
        database.execute("INSERT INTO sections VALUES (?, ?)", (_PLAN, wanted))
    return _ready(database)


def _ready(database: sqlite3.Connection) -> sqlite3.Connection:
    database.execute("PRAGMA cache_spill = OFF")  # who reads the stages that are done is not locked out meanwhile
    database.execute("BEGIN")
    return database


def _remove(part: Path) -> None:
    for name in (part.name, f"{part.name}-journal"):
        part.with_name(name).unlink(missing_ok=True)
