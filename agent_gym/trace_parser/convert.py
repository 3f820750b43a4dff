"""A reading in, one file of traces and one of rejects out: both whole or not at all, redacted on the way if asked.

Nothing personal touches the disk: the source is read once to learn what is personal, and again to replace it. What is
to be written is scanned once more, and any find stops it.
"""

import json
import secrets
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from agent_gym.errors import AgentGymError, RedactionError
from agent_gym.trace_parser.processes import chunked, in_processes
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.redact import Gathering, Known, NameFinder, Redactor, left_over
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.written import Written, line_of, refusal_of, written
from agent_gym.types import Json, Trace
from agent_gym.whole_files import whole_files

__all__ = ["Conversion", "Phase", "Redaction", "convert", "rejects_path"]

T = TypeVar("T")
Item: TypeAlias = Trace | Reject
Read: TypeAlias = Callable[[Reading], Iterable[Item]]
Write: TypeAlias = Callable[[Reading], Iterable[Written]]
Phase = Literal["looking for personal values", "converting"]
Progress: TypeAlias = Callable[[Phase, Reading], None]


@dataclass(frozen=True, slots=True)
class Redaction:
    """How to redact. Without a key one is drawn for this run and forgotten."""

    key: bytes | None = None
    find_names: NameFinder | None = None
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was written. `redacted`: kind → how many different values were replaced, and how often."""

    reading: Reading
    output: Path
    rejects: Path
    redacted: dict[str, dict[str, int]] | None = None

    def to_dict(self) -> dict[str, Json]:
        reading = self.reading
        out: dict[str, Json] = {
            "read": reading.read,
            "accepted": reading.accepted,
            "rejected": reading.rejected,
            "conversations": reading.conversations,
            "formats": dict(reading.formats.most_common()),
            "output": str(self.output),
            "rejects": str(self.rejects),
        }
        return out if self.redacted is None else {**out, "redacted": self.redacted}


def convert(
    read: Read,
    output: Path,
    redaction: Redaction | None = None,
    progress: Progress = lambda _phase, _reading: None,
    write: Write | None = None,
) -> Conversion:
    """`read` is called once, or twice to redact. Raises `RedactionError`, and writes nothing, if anything is left.

    `write` may take the place of `read` where nothing is redacted: it gives lines, read by several processes.
    """
    reading = Reading()
    if redaction is not None:
        known = _gathered(read, redaction, progress)
        make = partial(Redactor, known, redaction.key or secrets.token_bytes(32))
        chunks = chunked(_told(read(reading), reading, "converting", progress))
        parts = in_processes(make, _as_redacted_lines, chunks, redaction.workers)
    elif write is not None:
        parts = _told(write(reading), reading, "converting", progress)
    else:
        parts = _as_lines(chunked(_told(read(reading), reading, "converting", progress)))
    total = Written()
    rejects = rejects_path(output)
    with closing(parts), whole_files(output, rejects) as (accepted, refused):
        for part in parts:
            total.count(part)
            if not total.left:
                accepted.writelines(part.lines)
                refused.writelines(part.rejects)
        _check(total, reading)
    return Conversion(reading, output, rejects, None if redaction is None else total.replaced())


def rejects_path(output: Path) -> Path:
    return output.with_name(f"{output.name.removesuffix(output.suffix)}.rejects{output.suffix or '.jsonl'}")


def _gathered(read: Read, redaction: Redaction, progress: Progress) -> Known:
    reading = Reading()
    chunks = chunked(_told(read(reading), reading, "looking for personal values", progress))
    gathering = Gathering()
    # A plug-in for names holds a model, which stays in this process.
    workers = redaction.workers if redaction.find_names is None else 1
    with closing(in_processes(partial(_given, redaction.find_names), _gather, chunks, workers)) as parts:
        for part in parts:
            gathering.merge(part)
    return gathering.known()


def _given(find_names: NameFinder | None) -> NameFinder | None:
    return find_names


def _gather(find_names: NameFinder | None, items: list[Item]) -> Gathering:
    gathering = Gathering(find_names)
    for item in items:
        if isinstance(item, Trace):
            gathering.add(item)
    return gathering


def _told(items: Iterable[T], reading: Reading, phase: Phase, progress: Progress) -> Generator[T, None, None]:
    for item in items:
        yield item
        progress(phase, reading)


def _as_lines(chunks: Iterable[list[Item]]) -> Generator[Written, None, None]:
    for chunk in chunks:
        yield written(chunk)


def _as_redacted_lines(redactor: Redactor, items: list[Item]) -> Written:
    part = Written()
    for item in items:
        if isinstance(item, Trace):
            line = line_of(redactor.trace(item).to_dict())
            part.left += left_over(redactor, json.loads(line))
            part.lines.append(line)
            part.conversations += 1
        else:
            # A record that nobody could read cannot be redacted: its place is told, its content is not.
            refusal = refusal_of(item, "")
            part.rejects.append(
                line_of(refusal | {"reason": redactor.text(item.reason), "fix": redactor.text(item.fix)})
            )
            part.refused += item.records
    part.times, part.values = redactor.drained()
    return part


def _check(total: Written, reading: Reading) -> None:
    if total.left:
        found = ", ".join(f"{kind} {n}" for kind, n in total.left.most_common())
        raise RedactionError(
            f"personal values were found in the output again ({found}); nothing is written. "
            "If the source did not change while it was read, please report this"
        )
    if total.conversations != reading.conversations or total.refused != reading.rejected:
        raise AgentGymError(
            f"{reading.read} records were read, but {total.conversations} conversations and {total.refused} rejected "
            f"records came out instead of {reading.conversations} and {reading.rejected}; nothing is written"
        )
