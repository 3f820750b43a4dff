"""A virtual environment's description in, that environment ready to use out.

It is made once and stamped; a stamp that still fits its inputs lets the next run skip pip. A set-up that
fails or is interrupted leaves no valid stamp, so nothing half-made is ever used.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "CHECKOUT",
    "STAMP",
    "SetupFailed",
    "StampedVenv",
    "as_command",
    "digest",
    "ready",
    "run",
    "variables",
]

CHECKOUT = Path(__file__).resolve().parent.parent
STAMP = "agent-gym.stamp"

# Settings of the caller's shell that would send pip, or Python's imports, somewhere else.
_MISLEADING = ("PYTHONHOME", "PYTHONPATH", "PIP_PREFIX", "PIP_TARGET", "PIP_USER")
_NO_NETWORK = (
    "NewConnectionError",
    "NameResolutionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "name resolution",
    "Network is unreachable",
    "Connection refused",
)
_SHOWN_LINES = 25


class SetupFailed(Exception):
    """The environment could not be made: what failed and what to do, and what the failing program printed."""

    def __init__(self, message: str, output: str = "") -> None:
        self.output = output
        super().__init__(message)

    def told(self) -> str:
        """For a person: the end of the output first, so that the message is the last thing read."""
        lines = [f"  {line}" for line in self.output.strip().splitlines()[-_SHOWN_LINES:]]
        return "\n".join([*lines, f"Set-up failed: {self}"])


@dataclass(frozen=True, slots=True)
class StampedVenv:
    """What an environment holds, and the files that decide whether it has to be made again."""

    folder: Path
    requirements: tuple[str, ...]  # pip's arguments, relative to the checkout
    inputs: tuple[Path, ...]
    alone: tuple[str, ...] = ()  # installed without what they depend on: only their files are of use
    constraints: str = "constraints.txt"  # which versions, relative to the checkout

    @property
    def python(self) -> Path:
        return self.program("python")

    def program(self, name: str) -> Path:
        if os.name == "nt":
            return self.folder / "Scripts" / f"{name}.exe"
        return self.folder / "bin" / name


def digest(wanted: StampedVenv, platform: str | None = None) -> str:
    """What the stamp says. The folder counts, because an environment does not survive being moved."""
    facts = [str(wanted.folder), sys.version, platform or sysconfig.get_platform(), *wanted.requirements, *wanted.alone]
    facts += [hashlib.sha256(path.read_bytes()).hexdigest() for path in wanted.inputs]
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()


def ready(wanted: StampedVenv, build: Callable[[StampedVenv], None] | None = None) -> None:
    """Make the environment unless its stamp says that it is made already."""
    stamp = wanted.folder / STAMP
    if _text(stamp) == digest(wanted) and wanted.python.exists():
        return
    print(f"Setting up {wanted.folder.name} (about a minute, once) ...", file=sys.stderr, flush=True)
    try:
        if wanted.folder.exists():
            shutil.rmtree(wanted.folder)
        wanted.folder.mkdir(parents=True)
        # Marks the folder as ours from its first moment: what an interrupted set-up leaves is made again.
        stamp.write_text("unfinished", encoding="utf-8")
        (build or _build)(wanted)
        stamp.write_text(digest(wanted), encoding="utf-8")
    except OSError as error:
        raise SetupFailed(f"cannot make {wanted.folder}: {error}") from error


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _build(wanted: StampedVenv) -> None:
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupFailed(
            f"this Python ({sys.executable}) has no ensurepip, so it cannot make a virtual environment.\n"
            "On Debian or Ubuntu: apt install python3-venv\nThen run the same command again."
        )
    try:
        venv.EnvBuilder(with_pip=True, symlinks=os.name != "nt").create(wanted.folder)
    except subprocess.CalledProcessError as error:
        raise SetupFailed("ensurepip failed", error.output.decode(errors="replace")) from error
    _install(wanted)


def _install(wanted: StampedVenv) -> None:
    _pip(wanted, "-c", wanted.constraints, *wanted.requirements)
    if wanted.alone:
        _pip(wanted, "--no-deps", *wanted.alone)


def _pip(wanted: StampedVenv, *arguments: str) -> None:
    pip = [str(wanted.python), "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, *arguments],
        cwd=CHECKOUT,
        env=variables(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        cause = "pip could not install the packages."
        if any(sign in done.stdout for sign in _NO_NETWORK):
            cause = "pip could not reach the package index (is there a network, or a proxy to set?)."
        raise SetupFailed(f"{cause} Run the same command again to retry.", done.stdout)


def variables(**changes: str) -> dict[str, str]:
    """The caller's environment variables without those that would mislead the virtual environment."""
    return {k: v for k, v in os.environ.items() if k not in _MISLEADING} | changes


def run(command: Sequence[str | Path], cwd: Path | None = None, env: Mapping[str, str] | None = None) -> int:
    """The exit code of a command that shares our terminal. Ctrl-C is its to answer: it got the signal too."""
    sys.stdout.flush()
    with subprocess.Popen([str(word) for word in command], cwd=cwd, env=env or variables()) as child:
        while True:
            try:
                code = child.wait()
            except KeyboardInterrupt:
                continue
            # A shell's convention: ended by signal n is exit code 128 + n.
            return code if code >= 0 else 128 - code


def as_command(main: Callable[[list[str]], int]) -> None:
    """Run a script's main and exit with its code; a failed set-up is told without a traceback."""
    try:
        code = main(sys.argv[1:])
    except SetupFailed as failure:
        print(failure.told(), file=sys.stderr)
        code = 1
    except KeyboardInterrupt:
        print("Interrupted; run the same command again.", file=sys.stderr)
        code = 130
    sys.exit(code)
