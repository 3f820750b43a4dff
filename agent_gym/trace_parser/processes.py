"""Work on chunks in several processes, chunks in, results out in the same order, a bounded number at a time."""

import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from agent_gym.errors import AgentGymError

__all__ = ["chunked", "in_processes"]

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


def chunked(items: Iterable[T], size: int = 32) -> Iterator[list[T]]:
    found = iter(items)
    while chunk := list(islice(found, size)):
        yield chunk


def in_processes(
    make: Callable[[], S], work: Callable[[S, list[T]], R], chunks: Iterable[list[T]], workers: int
) -> Generator[R, None, None]:
    """`work` on every chunk, with what `make` gives, which each process makes once for itself. Close it if you stop."""
    if workers <= 1:
        state = make()
        for chunk in chunks:
            yield work(state, chunk)
        return
    context = get_context("spawn")  # a fork would copy the locks of threads that draw a progress bar
    pipes: list[Connection] = []
    processes = []
    for _ in range(workers):
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, make, work), daemon=True)
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    try:
        yield from _in_turn(pipes, chunks)
    except BaseException:
        for process in processes:
            process.terminate()
        raise
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.join()


def _in_turn(pipes: list[Any], chunks: Iterable[list[T]]) -> Iterator[Any]:
    """Each process has one chunk at a time; in turn means in order."""
    sent = 0
    for sent, chunk in enumerate(chunks, 1):
        pipe = pipes[(sent - 1) % len(pipes)]
        if sent > len(pipes):
            yield _received(pipe)
        pipe.send(chunk)
    for back in range(max(0, sent - len(pipes)), sent):
        yield _received(pipes[back % len(pipes)])


def _received(pipe: Any) -> Any:
    try:
        result = pipe.recv()
    except EOFError:
        raise AgentGymError("a worker process ended before its work was done; try again with --workers 1") from None
    if isinstance(result, AgentGymError):
        raise result
    return result


def _serve(pipe: Any, make: Callable[[], S], work: Callable[[S, list[T]], R]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process decides when it ends
    state = make()
    while True:
        try:
            chunk = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(work(state, chunk))
        except AgentGymError as error:
            pipe.send(error)
