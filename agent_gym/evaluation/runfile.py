"""A run on disk: a line that says what is run, then a line for every finished attempt, flushed as it ends.

A run that was killed goes on where it stopped: finished attempts are kept, failed ones are tried again, a
line that was cut short is dropped.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Self

import orjson

from agent_gym.environment import Rollout
from agent_gym.errors import RunFileError
from agent_gym.llm import Usage
from agent_gym.types import Json

__all__ = ["Attempt", "RunFile", "is_run_file"]

_BEGINS = b'{"run":'


def is_run_file(path: str | os.PathLike[str]) -> bool:
    """Whether the file begins as a run does; `RunFile.open` says whether it is one."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_BEGINS)) == _BEGINS
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Attempt:
    """One episode of a run: trial number `trial` at a scenario, what came of it, and what a model counted for it."""

    trial: int
    rollout: Rollout
    seconds: float = 0.0
    usage: Usage | None = None

    @property
    def key(self) -> tuple[str, int]:
        return self.rollout.conversation_id, self.trial


class RunFile:
    """The file of one run, open for reading or for more."""

    def __init__(self, path: Path, identity: Mapping[str, Json]) -> None:
        self.path = path
        self.identity = identity
        self._lock = Lock()

    @classmethod
    def start_or_resume(cls, path: str | os.PathLike[str], identity: Mapping[str, Json]) -> Self:
        """The run at the path, if it is this very run; a new one where there is none."""
        run = cls(Path(path), identity)
        if run.path.exists() and run.path.stat().st_size:
            found = cls.open(path).identity
            if found != identity:
                odd = sorted(name for name in {*found, *identity} if found.get(name) != identity.get(name))
                raise RunFileError(
                    run.path, f"it holds another run ({', '.join(odd)} differ)", "choose another file, or delete it"
                )
            run._drop_torn_line()
        else:
            run._append({"run": dict(identity)}, "x" if not run.path.exists() else "a")
        return run

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """A run to read."""
        where = Path(path)
        if not where.is_file():
            raise RunFileError(where, "there is no such file", "`agent-gym eval GYM --agent A -o FILE` writes one")
        first = next(_lines(where), None)
        if not isinstance(first, dict) or not isinstance(first.get("run"), dict):
            raise RunFileError(where, "it is not a run: its first line does not say what was run", "")
        return cls(where, first["run"])

    def attempts(self) -> list[Attempt]:
        """Every attempt, the last word on each, in the order they were first made."""
        found: dict[tuple[str, int], Attempt] = {}
        for number, line in enumerate(_lines(self.path), start=1):
            if number == 1:
                continue
            try:
                usage = Usage(**line["usage"]) if line.get("usage") else None
                rollout = Rollout.from_dict(line["rollout"])
                attempt = Attempt(line["trial"], rollout, line.get("seconds", 0.0), usage)
            except (KeyError, TypeError) as error:
                raise RunFileError(self.path, f"line {number} is no attempt: {error!r}", "") from error
            found[attempt.key] = attempt
        return list(found.values())

    def add(self, attempt: Attempt) -> None:
        row = {"trial": attempt.trial, "seconds": attempt.seconds, "rollout": attempt.rollout.to_dict()}
        if attempt.usage is not None:
            row["usage"] = asdict(attempt.usage)
        with self._lock:
            self._append(row, "a")

    def _append(self, row: Json, mode: str) -> None:
        with self.path.open(f"{mode}b") as file:
            file.write(orjson.dumps(row, default=str) + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _drop_torn_line(self) -> None:
        whole = self.path.read_bytes()
        if not whole.endswith(b"\n"):
            with self.path.open("r+b") as file:
                file.truncate(whole.rfind(b"\n") + 1)


def _lines(path: Path) -> Iterator[Json]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return  # cut short: this attempt was never finished
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise RunFileError(path, f"line {number} is no JSON: {error}", "") from error
