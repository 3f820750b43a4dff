"""What a gym file looks like: the tables of every version, and whether a database is one; nothing else is opened."""

import os
import sqlite3
from pathlib import Path

from agent_gym.errors import GymFileError

__all__ = ["SINCE", "TABLES", "VERSION", "check_tables", "is_gym_file", "make_tables"]

APPLICATION_ID = 0x41474D31  # "AGM1"
VERSION = 3
_MAGIC = b"SQLite format 3\0"
TABLES = {
    "sections": "CREATE TABLE sections (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "traces": "CREATE TABLE traces (position INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL UNIQUE, "
    "split TEXT NOT NULL, body BLOB NOT NULL) STRICT",
    # What was measured of the gym: it is not its content, so the digest does not know of it.
    "reports": "CREATE TABLE reports (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
    # What was mined, packed: values read whole, and shelves of many, a block of neighbouring keys in each row.
    "parts": "CREATE TABLE parts (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "shelves": "CREATE TABLE shelves (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
    "entries INTEGER NOT NULL) STRICT",
    "blocks": "CREATE TABLE blocks (shelf INTEGER NOT NULL, first BLOB NOT NULL, body BLOB NOT NULL, "
    "PRIMARY KEY (shelf, first)) STRICT",
}
SINCE = {"reports": 2, "parts": 3, "shelves": 3, "blocks": 3}  # table → its version; the others are of the first


def is_gym_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file is a database at all; `GymFile.open` says whether it is ours."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def make_tables(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA page_size = 1024")  # rows are short: larger pages would be half empty
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {VERSION}")
    for statement in TABLES.values():
        database.execute(statement)


def check_tables(path: Path, database: sqlite3.Connection) -> int:
    """The version of a gym whose header and tables are as they should be; else a `GymFileError` that says what is not.

    What the rows hold is checked as they are read: each is packed with a checksum.
    """
    if database.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise GymFileError(path, "it is a database of another program", "build one with `agent-gym build`")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise GymFileError(
            path, f"it is of version {version}, newer than this program's {VERSION}", "upgrade agent-gym"
        )
    found = dict(database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
    wanted = {name: sql for name, sql in TABLES.items() if SINCE.get(name, 1) <= version}
    if found != wanted:
        odd = sorted(set(found) ^ set(wanted)) or sorted(found)
        raise GymFileError(path, f"its tables are not those of a gym: {', '.join(odd)}", "build it again")
    (pages,), (size,) = (database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    if pages * size > path.stat().st_size:
        raise GymFileError(path, "it is damaged: its end is missing", "build it again")
    (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise GymFileError(path, f"it is damaged: {verdict}", "build it again")
    return int(version)
