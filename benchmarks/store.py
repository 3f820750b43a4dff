"""The gym file: how long it takes to build, how large it is, what it costs to open one and to ask it something.

    python -m benchmarks.store [--traces DIR] [--only NAME] [--keep DIR]

Every gym is built and opened in processes of its own. Memory is what the process holds beyond an interpreter that has
imported nothing; times are of the processor, and of the clock in brackets.
"""

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.sources import arguments, traces_folder

_SAMPLE = Path(__file__).resolve().parents[1] / "data" / "processed" / "conversations.jsonl"
_NAMES = ("retail_c", "sgd_train")
_ASKED = 5  # conversations whose first call is asked, each in a process of its own

_BUILD = """
if __name__ == "__main__":
    from agent_gym.cli import main
    main()
"""
_OPEN = """
import json, sys, time
def held():
    rows = dict(line.split(":") for line in open("/proc/self/status") if line.startswith(("VmRSS", "VmHWM")))
    return int(rows["VmRSS"].split()[0]) / 1024
bare = held()
from agent_gym import load
from agent_gym.environment import Environment
imported = held()
def timed(work):
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return found, 1000 * (time.process_time() - processor), 1000 * (time.perf_counter() - clock)
path, name, arguments = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
env, *opened = timed(lambda: load(path, agent="embedded"))
after = held()
answer, *first = timed(lambda: env.tool_mocker.session().call(name, arguments))
_, *again = timed(lambda: env.tool_mocker.session().call(name, arguments))
print(json.dumps({"imports": imported - bare, "opened": opened, "held": after - bare, "first": first, "again": again,
                  "source": answer.source, "answered": held() - bare}))
"""


class Source(NamedTuple):
    name: str
    path: Path
    gzipped: int  # bytes


def sources(folder: Path | None, only: str | None) -> Iterator[Source]:
    if only in (None, "sample"):
        yield Source("sample", _SAMPLE, len(gzip.compress(_SAMPLE.read_bytes(), 9)))
    for name in _NAMES:
        if folder is not None and only in (None, name):
            path = folder / f"{name}.jsonl.gz"
            yield Source(name, path, path.stat().st_size)


def built(source: Source, gym: Path) -> tuple[float, float]:
    """Seconds of the processor, and of the clock."""
    script = gym.with_suffix(".py")
    script.write_text(_BUILD)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    command = [sys.executable, str(script), "build", str(source.path), "-o", str(gym), "--workers", "2"]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": os.getcwd()})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return spent, time.perf_counter() - clock


def opened(gym: Path) -> list[dict[str, object]]:
    from agent_gym.store import GymFile  # noqa: PLC0415  # after the build, whose memory is measured

    calls = [trace.calls()[0][0] for trace, split in GymFile.open(gym).traces() if split == "train" and trace.calls()]
    rows = []
    for call in calls[:: max(1, len(calls) // _ASKED)][:_ASKED]:
        command = [sys.executable, "-c", _OPEN, str(gym), call.name, json.dumps(call.arguments)]
        told = subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": os.getcwd()})
        rows.append(json.loads(told.stdout))
    return rows


def middle(rows: list[dict[str, object]], name: str, at: int | None = None) -> float:
    found = sorted(row[name] if at is None else row[name][at] for row in rows)  # type: ignore[index, type-var]  # JSON
    return float(found[len(found) // 2])  # type: ignore[arg-type]  # JSON


def measure(source: Source, gym: Path) -> str:
    spent, clock = built(source, gym) if not gym.exists() else (0.0, 0.0)
    rows, size = opened(gym), gym.stat().st_size
    opening, first, again = (
        f"{middle(rows, name, 0):.1f} ({middle(rows, name, 1):.1f})" for name in ("opened", "first", "again")
    )
    imports, held = middle(rows, "imports"), middle(rows, "held")
    return (
        f"| {source.name} | {spent:.0f} ({clock:.0f}) | {size / 1e6:.1f} ({size / source.gzipped:.1f} ×) | {opening} "
        f"| {imports:.0f} + {held - imports:.1f} | {first} | {again} |"
    )


def main() -> None:
    parser = arguments(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", choices=("sample", *_NAMES), default=None)
    parser.add_argument(
        "--keep", type=Path, default=None, help="a folder for the gyms; those in it are not built again"
    )
    given = parser.parse_args()
    print("| log | built, s | MB (of gzipped log) | opened, ms | MB: imports + gym | first answer, ms | again, ms |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for source in sources(traces_folder(given.traces), given.only):
            print(measure(source, (given.keep or Path(folder)) / f"{source.name}.gym"), flush=True)


if __name__ == "__main__":
    main()
