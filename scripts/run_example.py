"""The example's arguments in, the example's output and exit code out; the first run sets everything up.

Standard library only. The lines before the version check have to run on any Python 3, however old.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  # an older Python is exactly who this message is for
    sys.exit(f"Agent Gym needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")

from pathlib import Path

from stamped_venv import CHECKOUT, STAMP, StampedVenv, as_command, ready, run


def main(arguments: list[str]) -> int:
    inputs = (CHECKOUT / "pyproject.toml", CHECKOUT / "constraints.txt")
    example = StampedVenv(venv_folder(CHECKOUT), ("-e", "."), inputs)
    ready(example)
    return run([example.python, CHECKOUT / "examples" / "customer_service.py", *arguments])


def venv_folder(checkout: Path) -> Path:
    """`.venv`, or another name where somebody made a `.venv` of their own: theirs is not ours to change."""
    folder = checkout / ".venv"
    theirs = folder.exists() and not (folder / STAMP).exists()
    return checkout / ".venv-example" if theirs else folder


if __name__ == "__main__":
    as_command(main)
