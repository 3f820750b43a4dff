"""Pieces of work in, what came of each out: done in threads, and none waits for one that sticks or fails."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Crew"]

T = TypeVar("T")

_MOST = 8  # pieces in a round: those who wait for the first should not have to wait for the last
_PATIENCE = 0.02  # seconds in which a thread finishes nothing, after which the others' work goes on without it


@dataclass(slots=True, eq=False)
class _Piece(Generic[T]):
    work: Callable[[], T]
    told: "asyncio.Future[T | BaseException]"

    def tell(self, outcome: T | BaseException) -> None:
        if not self.told.done():
            self.told.set_result(outcome)


@dataclass(slots=True, eq=False)
class _Round(Generic[T]):
    """What one thread does in one go, in order."""

    waiting: deque[_Piece[T]]
    done: deque[tuple[_Piece[T], T]] = field(default_factory=deque)
    at: _Piece[T] | None = None
    count: int = 0
    stopped: bool = False

    def work(self) -> None:
        """In a thread. A piece that fails ends the round."""
        for _ in range(_MOST):
            try:
                self.at = self.waiting.popleft()
            except IndexError:  # nothing waits any more
                return
            self.done.append((self.at, self.at.work()))
            self.count += 1
            if self.stopped:
                return

    def tell(self) -> None:
        while self.done:
            piece, outcome = self.done.popleft()
            piece.tell(outcome)


class Crew(Generic[T]):
    """Belongs to the event loop that runs when it is made.

    As a rule one thread works and the loop sleeps: threads that compete for the interpreter cost more than the step
    of an episode. Only where that thread does not get on, another one takes over from it.
    """

    def __init__(self, most: int) -> None:
        """`most` pieces may stick at the same time."""
        self._threads = ThreadPoolExecutor(most + 1)
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Piece[T]] = deque()
        self._round: _Round[T] | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._called = False

    async def attempt(self, work: Callable[[], T]) -> T | BaseException:
        """What the work returns, or the exception it ends with."""
        piece = _Piece(work, self._loop.create_future())
        self._waiting.append(piece)
        self._call()
        return await piece.told

    def close(self) -> None:
        self._threads.shutdown(wait=False)

    def _call(self) -> None:
        """Once the loop has done what it can do now: what it finds on the way is done in the same round."""
        if self._round is None and not self._called:
            self._called = True
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._called = False
        if not self._waiting:
            return
        begun = self._round = _Round(self._waiting)
        self._threads.submit(begun.work).add_done_callback(lambda ended: self._ended(begun, ended))
        self._look_later(begun)

    def _ended(self, begun: _Round[T], ended: "Future[None]") -> None:
        """In the thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end, begun, ended)

    def _end(self, begun: _Round[T], ended: "Future[None]") -> None:
        begun.tell()
        error = ended.exception()
        if error is not None and begun.at is not None:
            begun.at.tell(error)
        self._leave(begun)

    def _look_later(self, begun: _Round[T]) -> None:
        self._looking = self._loop.call_later(_PATIENCE, self._look, begun, begun.count)

    def _look(self, begun: _Round[T], count: int) -> None:
        """Whether the round gets on."""
        begun.tell()
        if begun.count > count:
            self._look_later(begun)
        else:
            self._leave(begun)

    def _leave(self, begun: _Round[T]) -> None:
        begun.stopped = True
        if self._round is begun:
            self._round = None
            if self._looking is not None:
                self._looking.cancel()
        if self._waiting:
            self._call()
