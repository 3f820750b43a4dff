"""What a command is pointed at, in; an environment, out: one gym file, or trace files together."""

from pathlib import Path
from typing import Any

from rich.console import Console

from agent_gym.cli.progress import reading_progress
from agent_gym.environment import Environment, create_environment, load
from agent_gym.errors import OptionError
from agent_gym.store import GymFile, is_gym_file
from agent_gym.trace_parser import Reading, Reject, read_source
from agent_gym.types import Trace

__all__ = ["opened", "traces_of"]


def opened(sources: list[Path], console: Console, **options: Any) -> Environment:
    """The environment behind the sources. `options` are those of `create_environment`; a gym keeps its own split."""
    if any(is_gym_file(source) for source in sources):
        if len(sources) > 1:
            raise OptionError("SRC", sources[1], ("one gym file, or trace files",), why="cannot be added to a gym file")
        console.print(f"opening {sources[0]}", markup=False)
        kept = {name: options[name] for name in ("agent", "user") if options.get(name) is not None}
        return load(sources[0], **kept)
    return create_environment(traces_of(sources, console), **options)


def traces_of(sources: list[Path], console: Console) -> list[Trace]:
    """The traces of all files, gym files among them; what cannot be used is counted and shown, never just dropped."""
    traces: list[Trace] = []
    rejects: list[Reject] = []
    for source in sources:
        if is_gym_file(source):
            traces += [trace for trace, _ in GymFile.open(source).traces()]
    logs = [source for source in sources if not is_gym_file(source)]
    # All at once: the records of one conversation may lie in several files.
    reading = Reading()
    with reading_progress(console) as progress:
        for item in read_source(logs, reading=reading) if logs else ():
            if isinstance(item, Reject):
                rejects.append(item)
            else:
                traces.append(item)
            progress("reading", reading)
    if not traces and rejects:
        raise rejects[0].error()
    console.print(f"read {len(traces):,} conversations", markup=False)
    if rejects:
        left_out = sum(reject.records for reject in rejects)
        console.print(
            f"left out {left_out:,} records that cannot be used; the first: {rejects[0].error()}", markup=False
        )
    return traces
