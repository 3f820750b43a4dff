"""Gym files to try things on: new ones of plain traces, and ones as older versions of the program wrote them."""

import json
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from agent_gym.store import GymFile, writing
from agent_gym.types import Json, Message, Trace

_TABLES = """
CREATE TABLE sections (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID
CREATE TABLE traces (position INTEGER PRIMARY KEY, conversation_id TEXT NOT NULL UNIQUE, split TEXT NOT NULL, \
body BLOB NOT NULL) STRICT
CREATE TABLE reports (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID
""".strip().splitlines()


def trace(name: str) -> Trace:
    return Trace(name, (Message("user", "hi"), Message("assistant", f"hello {name}")))


def written(path: Path, traces: Sequence[Trace], sections: Mapping[str, Json] = {}, test: str = "") -> GymFile:
    with writing(path) as writer:
        digest = writer.traces(traces, lambda name: "test" if name == test else "train")
        writer.describe({**sections, "content_digest": digest})
    return GymFile.open(path)


def written_long_ago(path: Path, version: int, traces: Sequence[Trace], options: Json) -> Path:
    """As versions 1 and 2 did it: nothing mined, every trace packed alone."""
    with closing(sqlite3.connect(path)) as database:
        for statement in _TABLES[: version + 1]:
            database.execute(statement)
        rows = [(at, t.conversation_id, "train", zlib.compress(json.dumps(t.to_dict()).encode())) for at, t in
                enumerate(traces)]  # fmt: skip
        database.executemany("INSERT INTO traces VALUES (?, ?, ?, ?)", rows)
        database.execute("INSERT INTO sections VALUES ('options', ?)", (json.dumps(options),))
        database.execute(f"PRAGMA application_id = {0x41474D31}")
        database.execute(f"PRAGMA user_version = {version}")
        database.commit()
    return path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
