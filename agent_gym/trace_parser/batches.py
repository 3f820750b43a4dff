"""Batches of records in, the lines of their conversations out in the same order, read by several processes.

A process knows only its own batches; where an id was met in another's before, the batch is read once more here, by the
run that knows them all.
"""

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from typing import NamedTuple, TypeAlias

import orjson

from agent_gym.trace_parser.choose import named
from agent_gym.trace_parser.formats import Format, Item
from agent_gym.trace_parser.labels import Labels
from agent_gym.trace_parser.processes import in_processes
from agent_gym.trace_parser.reading import Reading
from agent_gym.trace_parser.repairs import Reject
from agent_gym.trace_parser.run import Batch, Run
from agent_gym.trace_parser.written import Written, written
from agent_gym.types import Role, Trace

__all__ = ["written_in_processes"]

Unit: TypeAlias = Trace | Reject | Batch


class _Task(NamedTuple):
    """What another process needs to know of a record."""

    form: str
    source: str
    line: int
    raw: bytes
    number: int


class _Found(NamedTuple):
    """What it made of a batch. `ids`: the place of a record in it, and the conversation that it became."""

    part: Written
    ids: list[tuple[int, str]]
    reading: Reading


class _Options(NamedTuple):
    form: Format | None
    roles: Mapping[str, Role]
    labels: Labels


def written_in_processes(run: Run, units: Iterable[Unit], workers: int) -> Generator[Written, None, None]:
    """`units` are what the run gives out, in order."""
    sent: deque[Unit] = deque()
    make = partial(_options, run.form.name if run.form is not None else None, run.roles, run.labels)
    with closing(in_processes(make, _read, _tasks(units, sent), workers)) as results:
        for found in results:
            unit = sent.popleft()
            if not isinstance(unit, Batch):
                yield written([unit])
            elif found is not None and run.takes(unit, found.ids, found.reading):
                yield found.part
            else:
                yield written(run.read(unit))


def _options(form: str | None, roles: Mapping[str, Role], labels: Labels) -> _Options:
    return _Options(None if form is None else named(form), roles, labels)


def _tasks(units: Iterable[Unit], sent: deque[Unit]) -> Iterator[list[_Task]]:
    """The tasks of every unit, none for what is done already; the units themselves wait in `sent`."""
    for unit in units:
        sent.append(unit)
        # What had to be mended, or is no JSON text of its own, cannot be read again from its bytes.
        if isinstance(unit, Batch) and all(item.raw and item.mended is None for item in unit.items):
            yield [_Task(unit.form.name, item.source, item.line, item.raw, item.number) for item in unit.items]
        else:
            yield []


def _read(options: _Options, tasks: list[_Task]) -> _Found | None:
    if not tasks:
        return None
    run = Run(Reading(), *options)
    form = named(tasks[0].form)
    ids: list[tuple[int, str]] = []
    results: list[Trace | Reject] = []
    for place, task in enumerate(tasks):
        item = Item(orjson.loads(task.raw), task.source, task.line, task.raw, task.number)
        for result in run.read(Batch(form, [item])):
            results.append(result)
            if isinstance(result, Trace):
                ids.append((place, result.conversation_id))
    return _Found(written(results), ids, run.reading)
