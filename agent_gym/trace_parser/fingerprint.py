"""Sources in, what tells one state of their files from another out."""

import hashlib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from agent_gym.trace_parser.files import files_of, unreadable
from agent_gym.types import Json

__all__ = ["fingerprints"]


def fingerprints(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[dict[str, Json]]:
    """The files, each with its size and the digest of what is in it."""
    return [_fingerprint(name) for name in files_of(paths)]


def _fingerprint(name: str) -> dict[str, Json]:
    try:
        with Path(name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return {"path": name, "bytes": file.tell(), "sha256": digest}
    except OSError as error:
        raise unreadable(name, error) from error
