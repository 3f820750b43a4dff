"""Prints what a large log costs: mining it, the memory it takes at most, and thousands of sessions open at once.

    python -m benchmarks.scale [--calls N] [--sessions N]

Every size is measured in a process of its own, with the log made on demand, so the figures are of the mined
world and of nothing else. Times are processor time: what else the machine does hardly counts.
"""

import argparse
import gc
import itertools
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import recorded_calls
from benchmarks.big_log import BigLog
from benchmarks.speed import microseconds

_SIZES = (16, 4, 1)  # parts of the whole
_ASKED = 2000  # conversations, for the time of an answer


def main() -> None:
    parser = argparse.ArgumentParser(description="What does a large log cost?")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--one", action="store_true", help="measure this size in this process")
    options = parser.parse_args()
    if options.one:
        measure(options.calls, options.sessions)
        return
    for part in _SIZES:
        sizes = ["--calls", str(options.calls // part), "--sessions", str(options.sessions)]
        subprocess.run([sys.executable, "-m", "benchmarks.scale", "--one", *sizes], check=True)


def measure(calls: int, sessions: int) -> None:
    log = BigLog(calls)
    started = time.process_time()
    conversations = sum(1 for _ in log.train)
    making = time.process_time() - started
    mocker = ToolMocker.fit(log)
    seconds = time.process_time() - started - 2 * making
    print(
        f"{calls} calls in {conversations} conversations: mined in {seconds:.1f} s, "
        f"{1e3 * seconds / calls:.3f} ms a call (and {making:.1f} s to make the log); at most {peak():.0f} MB"
    )
    answers(mocker, log)
    open_sessions(mocker, log, min(sessions, conversations))
    print(f"  all of it took at most {peak():.0f} MB", flush=True)


def answers(mocker: ToolMocker, log: BigLog) -> None:
    """Conversations of the log asked again, in their own case and free."""
    for kind in ("anchored", "free"):
        took = []
        for trace in itertools.islice(log.train, _ASKED):
            session = mocker.session(trace.conversation_id if kind == "anchored" else None)
            for call in recorded_calls(trace):
                started = time.process_time()
                session.call(call.name, call.arguments)
                took.append(time.process_time() - started)
        print(f"  {kind:9} answers in {microseconds(took)}")


def open_sessions(mocker: ToolMocker, log: BigLog, sessions: int) -> None:
    """Many at once, each in a case of its own: what opening costs, and what they hold before and after their calls."""
    traces = list(itertools.islice(log.train, sessions))
    served = ToolMocker(mocker.world, Corpus(traces))
    before, took, opened = held(), [], []
    for trace in traces:
        started = time.process_time()
        opened.append(served.session(trace.conversation_id))
        took.append(time.process_time() - started)
    idle = held()
    for trace, session in zip(traces, opened, strict=True):
        for call in recorded_calls(trace):
            session.call(call.name, call.arguments)
    used = held()
    print(
        f"  {sessions} open sessions: open in {1e6 * statistics.median(took):.1f} µs median, "
        f"{1e6 * statistics.quantiles(took, n=100)[98]:.1f} µs for 99 of 100; "
        f"{1e6 * (idle - before) / sessions:.0f} bytes each, {idle - before:.0f} MB in all; "
        f"after all their calls {1e6 * (used - before) / sessions:.0f} bytes each, {used - before:.0f} MB in all"
    )


def peak() -> float:
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def held() -> float:
    """The memory this process holds now, in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
