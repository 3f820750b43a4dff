"""Work in threads: together where it gets on, apart where it sticks."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from agent_gym.server.crew import Crew


def with_crew(talk: Callable[[Crew[Any]], Awaitable[Any]], most: int = 2) -> Any:
    async def run() -> Any:
        crew: Crew[Any] = Crew(most)
        try:
            return await talk(crew)
        finally:
            crew.close()

    return asyncio.run(run())


async def all_of(crew: Crew[Any], *work: Callable[[], Any]) -> list[Any]:
    return list(await asyncio.gather(*map(crew.attempt, work)))


def test_what_waits_together_is_done_one_after_the_other_and_not_in_the_loops_thread():
    lock = threading.Lock()

    def work() -> tuple[bool, int]:
        alone = lock.acquire(blocking=False)
        lock.release()
        return alone, threading.get_ident()

    found = with_crew(lambda crew: all_of(crew, *[work] * 20))
    assert all(alone for alone, _ in found) and threading.get_ident() not in [thread for _, thread in found]


def test_everybody_is_told_the_outcome_of_their_own_work():
    assert with_crew(lambda crew: all_of(crew, *(partial(pow, 2, n) for n in range(5)))) == [1, 2, 4, 8, 16]


def test_work_that_fails_is_told_and_the_rest_is_done():
    first, failed, last = with_crew(lambda crew: all_of(crew, lambda: 1, lambda: 1 / 0, lambda: 3))
    assert (first, last) == (1, 3) and isinstance(failed, ZeroDivisionError)


def test_what_sticks_holds_up_neither_what_stood_before_nor_behind_it():
    go_on = threading.Event()

    async def talk(crew: Crew[Any]) -> list[Any]:
        before, stuck, behind = (
            asyncio.ensure_future(crew.attempt(work)) for work in (lambda: 1, lambda: go_on.wait() and 2, lambda: 3)
        )
        told = [await before, await behind, await crew.attempt(lambda: 4), stuck.done()]
        go_on.set()
        return [*told, await stuck]

    assert with_crew(talk) == [1, 3, 4, False, 2]


def test_as_many_may_stick_as_were_allowed_for():
    go_on = threading.Event()

    async def talk(crew: Crew[Any]) -> list[Any]:
        stuck = [asyncio.ensure_future(crew.attempt(go_on.wait)) for _ in range(3)]
        told = await crew.attempt(lambda: "free")
        go_on.set()
        return [told, *[await piece for piece in stuck]]

    assert with_crew(talk, most=3) == ["free", True, True, True]


def test_somebody_who_leaves_is_not_told_and_the_others_are():
    async def talk(crew: Crew[Any]) -> Any:
        leaving = asyncio.ensure_future(crew.attempt(lambda: 1))
        staying = asyncio.ensure_future(crew.attempt(lambda: 2))
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert with_crew(talk) == 2
