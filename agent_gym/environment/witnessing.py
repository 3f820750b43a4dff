"""The train conversations of a gym in the making in, what they show out, worked out here and in helping processes.

A helper reads the conversations while the world is still being mined, and the world once it is kept in the file.
"""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from agent_gym.errors import AgentGymError
from agent_gym.keeping import read_json, written_json
from agent_gym.reward import RewardFunction
from agent_gym.reward.learning import Witness
from agent_gym.store import GymFile
from agent_gym.store.corpus import corpus_in
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.stored import kept_world
from agent_gym.trace_parser.processes import chunked
from agent_gym.types import Watch

__all__ = ["Helpers", "helping"]

_CHUNK = 16  # conversations that are handed over at a time
_WHAT = "learning what success looks like"


class Helpers:
    """Processes that help, none of them perhaps."""

    def __init__(self, pipes: Sequence[Connection]) -> None:
        self._pipes = pipes

    def witnesses(
        self, names: Sequence[str], here: Callable[[list[str]], Iterable[Witness]], watch: Watch
    ) -> Iterator[Witness]:
        """Of the conversations, in their order: `here` works from the first on, the helpers from the last back."""
        left, handed = deque(enumerate(chunked(names, _CHUNK))), dict[Connection, int]()
        found: dict[int, bytes] = {}  # as they came: unpacked they would take many times the room
        chunks = len(left)

        def hand_over(pipe: Connection) -> None:
            if left:
                at, chunk = left.pop()
                handed[pipe] = at
                with _alive():
                    pipe.send(chunk)

        def take(pipe: Connection) -> None:
            with _alive():
                found[handed.pop(pipe)] = pipe.recv_bytes()

        for pipe in self._pipes:
            hand_over(pipe)
        while left:
            _, chunk = left.popleft()
            yield from here(chunk)
            for pipe in [pipe for pipe in handed if pipe.poll()]:
                take(pipe)
                hand_over(pipe)
            watch(_WHAT, min(len(names), _CHUNK * (chunks - len(left) - len(handed))), len(names))
        for pipe in list(handed):
            take(pipe)
        watch(_WHAT, len(names), len(names))
        for at in sorted(found):
            yield from map(Witness.of_json, read_json(found[at]))


@contextmanager
def helping(path: Path, count: int) -> Iterator[Helpers]:
    """So many helpers, which begin to read the file at once; its world must be kept in it when they are asked."""
    context = get_context("spawn")  # a fork would copy the locks of threads that draw a progress bar
    pipes: list[Connection] = []
    processes = []
    for _ in range(count):
        ours, theirs = context.Pipe()
        process = context.Process(target=_help, args=(theirs, path), daemon=True)
        process.start()
        theirs.close()
        pipes.append(ours)
        processes.append(process)
    try:
        yield Helpers(pipes)
    finally:
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.terminate()
            process.join()


@contextmanager
def _alive() -> Iterator[None]:
    """For what is said to a helper: one that has ended cannot be reached."""
    try:
        yield
    except (EOFError, OSError):
        raise AgentGymError("a worker process ended before its work was done; try again with --workers 1") from None


def _help(pipe: Connection, path: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process decides when it ends
    view = _View(path)
    while True:
        try:
            names = pipe.recv()
        except EOFError:
            return
        seen = view.reward.witnesses(view.corpus.those(names))
        pipe.send_bytes(written_json([one.to_json() for one in seen]))


class _View:
    """What a helper knows of the gym."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.corpus = corpus_in(GymFile.open(path), grouped=True)

    @cached_property
    def reward(self) -> RewardFunction:
        """Opened anew: the world was not there yet when the conversations were read."""
        kept = GymFile.open(self._path).parts
        assert kept is not None
        return RewardFunction(self.corpus, ToolMocker(kept_world(kept, self.corpus.__getitem__), self.corpus))
