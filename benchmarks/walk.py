"""A new user's path from a fresh clone to a trained agent: each command as the documentation says it, with its time.

    python -m benchmarks.walk                    # the sample business
    python -m benchmarks.walk --traces DIR       # and star.jsonl.gz of that folder, as somebody's own log

Standard library only, in a folder that is thrown away: what a step needs, the steps before it have installed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
SAMPLE = (
    "python scripts/run_example.py",
    "agent-gym doctor",
    "agent-gym inspect data/raw/helpdesk.csv",
    "agent-gym convert data/raw/helpdesk.csv -o helpdesk.jsonl --redact",
    "agent-gym build data/processed/conversations.jsonl -o support.gym",
    "agent-gym fidelity support.gym --audit",
    "agent-gym eval support.gym --agent embedded -n 40 -k 1 -o run.jsonl",
    "agent-gym train support.gym -o policy.json",
    "agent-gym eval support.gym --agent policy.json -n 40 -k 1 -o trained.jsonl",
    "agent-gym report support.gym run.jsonl trained.jsonl -o report.html",
    "agent-gym export support.gym --to sft -o sft",
)
STAR = (
    "agent-gym inspect star.jsonl.gz",
    "agent-gym build star.jsonl.gz -o star.gym",
    "agent-gym fidelity star.gym",
    "agent-gym eval star.gym -n 40 -k 1 -o star_run.jsonl",
    "agent-gym report star.gym star_run.jsonl -o star.html",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--traces", type=Path, help="a folder with star.jsonl.gz")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        clone = Path(scratch) / "agent-gym"
        print("| step | seconds | exit | what it leaves |\n|---|--:|--:|---|", flush=True)
        walked(f"git clone {CHECKOUT.name}", ["git", "clone", "--quiet", CHECKOUT, clone], Path(scratch))
        for command in SAMPLE:
            step(command, clone)
        if given.traces is not None:
            (clone / "star.jsonl.gz").symlink_to((given.traces / "star.jsonl.gz").resolve())
            for command in STAR:
                step(command, clone)


def step(command: str, clone: Path) -> None:
    program, *words = command.split()
    walked(command, [sys.executable if program == "python" else clone / ".venv" / "bin" / program, *words], clone)


def walked(name: str, command: list[str | Path], folder: Path) -> None:
    """One step; what it printed is shown only where it failed."""
    before = set(folder.iterdir())
    settings = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    made = sorted(path for path in set(folder.iterdir()) - before if path.is_file())
    left = ", ".join(f"{path.name} ({path.stat().st_size / 1e6:.1f} MB)" for path in made)
    print(f"| `{name}` | {seconds:.0f} | {done.returncode} | {left} |", flush=True)
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
