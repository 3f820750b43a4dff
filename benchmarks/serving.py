"""Prints what a gym does over OpenEnv's WebSocket, beside OpenEnv's own echo environment in the same run.

    python -m benchmarks.serving [--conversations N] [--seconds S] [--minutes M]

Needs the extra `[openenv]`. Both are served by processes of their own. Every client plays recorded cases with the
recorded agent's acts, or says the same words to the echo, and starts anew as often. A step's latency is measured
twice: with every client stepping as fast as it can, and with an agent behind it that takes a second to think.
"""

import argparse
import asyncio
import statistics
from collections.abc import Callable

from benchmarks.serving_clients import Acts, Tally, drive, each_once, hold, mixed
from benchmarks.serving_hosts import Host, hosted, recorded_acts

MANY, HELD = 64, 512
ROUNDS = 3
THINKING = 1.0  # seconds


def main() -> None:
    options = argparse.ArgumentParser(description="How fast is a gym over OpenEnv?")
    options.add_argument("--conversations", type=int, default=200, help="of the sample business")
    options.add_argument("--seconds", type=float, default=5.0, help="of every measurement")
    options.add_argument("--minutes", type=float, default=5.0, help="of the mixed load")
    chosen = options.parse_args()
    acts = recorded_acts(chosen.conversations)
    words = [[{"message": act.get("content") or str(act["tool_calls"])} for act in case.acts] for case in acts]
    with hosted("gym", chosen.conversations) as gym, hosted("echo", 0) as echo:
        asyncio.run(each_once(gym.address, acts))  # a case is read when it is first played: trainers come back to it
        speeds(gym, acts, echo, [Acts({}, said) for said in words], chosen.seconds)
        opened = asyncio.run(hold(gym.address, acts, HELD, 3))
        print(f"\n{HELD} sessions held at once, 3 steps in each: {opened} failures")
        load(gym, acts, chosen.minutes)


def speeds(gym: Host, acts: list[Acts], echo: Host, words: list[Acts], seconds: float) -> None:
    """Rounds in turn, so that whatever else the machine does falls on both."""

    def rounds(sessions: int, thinking: float = 0.0) -> list[list[Tally]]:
        both = ((gym, acts), (echo, words))
        return [
            [asyncio.run(drive(host.address, said, sessions, seconds, host.cpu, thinking)) for host, said in both]
            for _ in range(ROUNDS)
        ]

    print(f"{'':24}{'gym':>10}{'echo':>10}{'gym / echo':>12}   median of {ROUNDS} rounds of {seconds:g} s")
    for sessions in (1, MANY):
        found = rounds(sessions)
        row(f"steps/s, {sessions} sessions", found, lambda tally: tally.rate)
        row("  server CPU, µs a step", found, lambda tally: 1e6 * tally.cpu / tally.steps)
        row("  p99 of a step, ms", found, lambda tally: 1e3 * tally.p99)
    row(f"p99, {MANY} thinking, ms", rounds(MANY, THINKING), lambda tally: 1e3 * tally.p99)


def row(name: str, rounds: list[list[Tally]], figure: Callable[[Tally], float]) -> None:
    pairs = [[figure(tally) for tally in both] for both in rounds]
    gym, echo = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(f"{name:24}{gym:10,.1f}{echo:10,.1f}{ratio:12.2f}", flush=True)


def load(gym: Host, acts: list[Acts], minutes: float) -> None:
    """Clients that open, step, leave, and drop the line; memory is compared from a fifth of the time on."""
    asyncio.run(mixed(gym.address, acts, MANY, 60 * minutes / 5))
    before = gym.memory()
    tally = asyncio.run(mixed(gym.address, acts, MANY, 60 * minutes * 4 / 5))
    after = gym.memory()
    print(
        f"\nmixed load, {MANY} clients, {minutes:g} minutes: {tally.steps:,} steps, {tally.sessions:,} sessions, "
        f"{tally.dropped:,} dropped, {tally.failures} failures\n"
        f"memory {before:.0f} MB after a fifth, {after:.0f} MB at the end ({after / before - 1:+.1%}); "
        f"sessions left: {gym.sessions()}"
    )


if __name__ == "__main__":
    main()
