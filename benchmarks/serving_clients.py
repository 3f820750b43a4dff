"""An OpenEnv server's address in, what its clients saw out: steps, latencies, failures.

The clients write their frames themselves: the released client's own work would hide what a server costs.
"""

import asyncio
import itertools
import random
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from agent_gym.types import Json


@dataclass(frozen=True, slots=True)
class Acts:
    """A case, and what the agent does in it."""

    reset: dict[str, Json]
    acts: list[dict[str, Json]]


@dataclass(slots=True)
class Tally:
    """What clients saw."""

    seconds: float = 0.0
    cpu: float = 0.0  # seconds of processor that the server took
    took: list[float] = field(default_factory=list)
    sessions: int = 0
    dropped: int = 0
    failures: int = 0

    @property
    def steps(self) -> int:
        return len(self.took)

    @property
    def rate(self) -> float:
        return self.steps / self.seconds

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.took, n=100)[98]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def connected(address: str) -> Any:
    from websockets.asyncio.client import connect  # noqa: PLC0415  an optional extra

    return connect(f"{address}/ws", compression=None, proxy=None, open_timeout=60, max_size=2**24)


async def drive(
    address: str, acts: list[Acts], sessions: int, seconds: float, cpu: Callable[[], float], thinking: float = 0.0
) -> Tally:
    """Every session steps until the time is over. All are open before the first one steps, and until the last has."""
    tally, together = Tally(seconds=seconds), asyncio.Barrier(sessions)

    async def one(start: int) -> None:
        async with connected(address) as line:
            cases = itertools.cycle(acts[start:] + acts[:start])
            if not await together.wait():
                tally.cpu -= cpu()
            dice = random.Random(start)
            await asyncio.sleep(thinking * dice.random())
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                async for took in played(line, next(cases)):
                    tally.took.append(took)
                    if time.perf_counter() >= end:
                        break
                    await asyncio.sleep(2 * thinking * dice.random())
            if not await together.wait():
                tally.cpu += cpu()

    await asyncio.gather(*(one(at * len(acts) // sessions) for at in range(sessions)))
    return tally


async def each_once(address: str, acts: list[Acts]) -> None:
    async with connected(address) as line:
        for case in acts:
            async for _ in played(line, case):
                pass


async def played(line: Any, case: Acts) -> Any:
    """The seconds of each step, until the episode is over."""
    await asked(line, "reset", case.reset)
    for act in case.acts:
        started = time.perf_counter()
        seen = await asked(line, "step", act)
        yield time.perf_counter() - started
        if seen["done"]:
            return


async def asked(line: Any, kind: str, content: dict[str, Json]) -> Json:
    await line.send(orjson.dumps({"type": kind, "data": content}).decode())
    answer = orjson.loads(await line.recv())
    if answer["type"] == "error":
        raise RuntimeError(answer["data"])
    return answer["data"]


async def hold(address: str, acts: list[Acts], sessions: int, steps: int) -> int:
    """How many of the sessions failed, all of them open at the same time."""
    ready = asyncio.Barrier(sessions)

    async def one(case: Acts) -> None:
        async with connected(address) as line:
            await asked(line, "reset", case.reset)
            await ready.wait()
            for act in case.acts[:steps]:
                if (await asked(line, "step", act))["done"]:
                    break
            await ready.wait()

    cases = itertools.islice(itertools.cycle(acts), sessions)
    done = await asyncio.gather(*map(one, cases), return_exceptions=True)
    return sum(isinstance(outcome, BaseException) for outcome in done)


async def mixed(address: str, acts: list[Acts], clients: int, seconds: float) -> Tally:
    """Clients that come, step some way and leave; every third drops the line, half of them in the middle of a frame."""
    tally, end = Tally(seconds=seconds), time.perf_counter() + seconds

    async def one(dice: random.Random) -> None:
        for number in places(dice):
            if time.perf_counter() >= end:
                return
            try:
                await visit(number, dice)
            except (OSError, RuntimeError, EOFError):
                tally.failures += 1

    async def visit(number: int, dice: random.Random) -> None:
        line = await connected(address)
        tally.sessions += 1
        left = dice.randrange(1, 12)
        async for took in played(line, dice.choice(acts)):
            tally.took.append(took)
            left -= 1
            if not left:
                break
        if number % 3:
            await line.close()
            return
        tally.dropped += 1
        if number % 2:
            line.transport.write(b"\x81\xfe\x03\xe8")
        line.transport.abort()

    await asyncio.gather(*(one(random.Random(seed)) for seed in range(clients)))
    return tally


def places(dice: random.Random) -> Iterator[int]:
    return itertools.count(dice.randrange(6))
