"""Traces, sections and shelves in, one gym file out: whole and under its name, or not at all.

It is written under another name beside its place and moved there at the end. Whoever writes it holds it alone.
"""

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from agent_gym.errors import GymFileError
from agent_gym.keeping import written_json
from agent_gym.store.packing import dictionary_of, packed, packed_bytes
from agent_gym.store.reading import DICTIONARY
from agent_gym.store.schema import make_tables
from agent_gym.types import Json, Trace

__all__ = ["GymWriter", "writing"]

_BLOCK = 12 * 2**10  # bytes of the entries that are packed together: more are packed better and read slower


class Traces(Protocol):
    """Traces that can be gone through more than once: a list, a `Corpus`."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Trace]: ...


class GymWriter:
    """A gym in the making; a `Keeper` of the parts."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def traces(self, traces: Traces, split: Callable[[str], str]) -> str:
        """Write the traces, each with the split of its id; the digest of all of them."""
        dictionary = dictionary_of((written_json(trace.to_dict()) for trace in traces), len(traces))
        self._database.execute("INSERT INTO parts VALUES (?, ?)", (DICTIONARY, dictionary))
        marks = hashlib.sha256()
        for position, trace in enumerate(traces):
            body, side = written_json(trace.to_dict()), split(trace.conversation_id)
            marks.update(written_json([side, hashlib.sha256(body).hexdigest()]))
            row = (position, trace.conversation_id, side, packed_bytes(body, dictionary))
            self._database.execute("INSERT INTO traces VALUES (?, ?, ?, ?)", row)
        return marks.hexdigest()

    def describe(self, sections: Mapping[str, Json]) -> None:
        """Small values that are read whenever the file is opened."""
        rows = [(name, written_json(section).decode()) for name, section in sorted(sections.items())]
        self._database.executemany("INSERT OR REPLACE INTO sections VALUES (?, ?)", rows)

    def section(self, name: str, value: Json) -> None:
        self._database.execute("INSERT INTO parts VALUES (?, ?)", (name, packed(value)))

    def shelf(self, name: str, entries: Iterable[tuple[bytes, Json]]) -> None:
        ordered = sorted(entries, key=lambda entry: entry[0])
        row = self._database.execute("INSERT INTO shelves (name, entries) VALUES (?, ?)", (name, len(ordered)))
        for block in _blocks(ordered):
            body = packed([[key.decode(), value] for key, value in block])
            self._database.execute("INSERT INTO blocks VALUES (?, ?, ?)", (row.lastrowid, block[0][0], body))


def _blocks(entries: Iterable[tuple[bytes, Json]]) -> Iterator[list[tuple[bytes, Json]]]:
    block: list[tuple[bytes, Json]] = []
    size = 0
    for entry in entries:
        block.append(entry)
        size += len(entry[0]) + len(written_json(entry[1]))
        if size >= _BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[GymWriter]:
    """A new gym, at its path when the block ends well; an older one there is replaced, and stays where it does not."""
    target = Path(path)
    if not target.parent.is_dir():
        raise GymFileError(target, "its folder does not exist", "make the folder first")
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    part = Path(name)
    database = sqlite3.connect(part, isolation_level=None)
    try:
        make_tables(database)
        database.execute("BEGIN")
        yield GymWriter(database)
        database.execute("COMMIT")
        database.close()
        os.chmod(part, 0o644)  # the mode of a temporary file would keep others from reading a shared gym
        os.replace(part, target)
    except sqlite3.OperationalError as error:
        raise GymFileError(target, f"it cannot be written: {error}", "is there room on the disk?") from error
    finally:
        database.close()
        part.unlink(missing_ok=True)
        part.with_name(f"{part.name}-journal").unlink(missing_ok=True)
