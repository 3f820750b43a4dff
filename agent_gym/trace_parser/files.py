"""Paths, folders and globs in, the files to read out, in a stable order."""

import difflib
import glob
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path

from agent_gym.errors import TraceError

__all__ = ["files_of", "unreadable"]


def files_of(paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> Iterator[str]:
    """Every file once, folders opened. Raises `TraceError` for a path that names nothing."""
    seen: set[str] = set()
    for path in [paths] if isinstance(paths, str | PathLike) else paths:
        for name in _expanded(fspath(path)):
            if name not in seen:
                seen.add(name)
                yield name


def unreadable(source: str, error: OSError) -> TraceError:
    """The error in words, with the way out."""
    if isinstance(error, PermissionError):
        return TraceError(source, None, "there is no permission to read it", "change its permissions or copy it")
    if source.lstrip()[:1] in ("{", "["):
        return TraceError(f"{source[:40]!r}…", None, "this is text, not a path", "parse it first with json.loads")
    if isinstance(error, FileNotFoundError):
        return TraceError(source, None, "there is no such file", _near_name(Path(source)))
    return TraceError(source[:200], None, f"it cannot be read: {error.strerror or error}", "check the path")


def _expanded(path: str) -> list[str]:
    try:
        if path and Path(path).is_dir():
            return _in_folder(path)
        if not glob.has_magic(path) or Path(path).exists():
            return [path]
    except (OSError, ValueError):  # a name that no file system takes: opening it says so in words
        return [path]
    found = [name for name in sorted(glob.glob(path, recursive=True)) if Path(name).is_file()]
    return found or [path]


def _in_folder(folder: str) -> list[str]:
    found = sorted(str(entry) for entry in Path(folder).rglob("*") if entry.is_file() and not _hidden(entry, folder))
    if not found:
        raise TraceError(folder, None, "the folder holds no files", "give the folder that holds the logs")
    return found


def _hidden(entry: Path, folder: str) -> bool:
    return any(part.startswith(".") for part in entry.relative_to(folder).parts)


def _near_name(path: Path) -> str:
    try:
        siblings = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return f"there is no folder {str(path.parent)!r} either"
    near = difflib.get_close_matches(path.name, siblings, n=1)
    return f"did you mean {near[0]!r}?" if near else "check the path"
