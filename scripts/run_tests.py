"""Options and pytest's arguments in, all checks and tests run out; the first run sets everything up.

Standard library only. The lines before the version check have to run on any Python 3, however old.
pytest runs last, so that its closing line is the last one printed, unless a check has failed.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  # an older Python is exactly who this message is for
    sys.exit(f"Agent Gym needs Python 3.11 or newer; this is {sys.version.split()[0]} ({sys.executable}).")

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from stamped_venv import CHECKOUT, SetupFailed, StampedVenv, as_command, ready, run
from wheel_check import check_wheel

INPUTS = (CHECKOUT / "pyproject.toml", CHECKOUT / "constraints.txt")
# hatchling, so that the wheel is built without asking the network for its builder
TESTS = StampedVenv(CHECKOUT / ".venv-tests", ("-e", ".[dev]", "hatchling"), INPUTS)
INTEGRATIONS = CHECKOUT / "tests" / "integrations"

Check = Callable[[], int]


def main(arguments: list[str]) -> int:
    options, pytest_arguments = parser().parse_known_args(arguments)
    if options.integrations is not None:
        return run_integrations(options.integrations, pytest_arguments)
    ready(TESTS)
    checks = {} if options.fast else static_checks()
    if options.wheel:
        checks = {"wheel": partial(check_wheel, TESTS)} | checks
    failed = run_checks(checks)
    tests = run([TESTS.python, "-m", "pytest", "--ignore", INTEGRATIONS, *pytest_arguments], cwd=CHECKOUT)
    if failed:  # said again: the verdict above the tests has long scrolled away
        print(f"== failed before the tests: {', '.join(failed)}", flush=True)
    return tests or int(bool(failed))


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        description="Format, lint, type and layer checks, then the tests. Other arguments go to pytest.",
        epilog="example: python scripts/run_tests.py --fast tests/reward -k negated",
        allow_abbrev=False,
    )
    options.add_argument("--wheel", action="store_true", help="first build the wheel and try it, outside the checkout")
    options.add_argument("--fast", action="store_true", help="leave out format, lint, type and layer checks")
    options.add_argument(
        "--integrations",
        nargs="?",
        const="",
        metavar="NAME",
        help="instead, the tests that need heavy extras: of one group, or of all",
    )
    return options


def static_checks() -> dict[str, Check]:
    commands: dict[str, list[str | Path]] = {
        "format": [TESTS.python, "-m", "ruff", "format", "--check", "--quiet", "."],
        "lint": [TESTS.python, "-m", "ruff", "check", "--quiet", "."],
        "types": [TESTS.python, "-m", "mypy"],
        "layers": [TESTS.program("lint-imports"), "--no-logo"],
    }
    return {name: partial(run, words, cwd=CHECKOUT) for name, words in commands.items()}


def run_checks(checks: dict[str, Check]) -> list[str]:
    """Run all, whichever fail; the names of those that did."""
    failed = []
    for name, check in checks.items():
        print(f"== {name}", flush=True)
        try:
            code = check()
        except SetupFailed as failure:
            print(failure.told())
            code = 1
        if code != 0:
            failed.append(name)
    if checks:
        verdicts = (f"{name} {'FAILED' if name in failed else 'ok'}" for name in checks)
        print(f"== checks: {', '.join(verdicts)}\n== tests", flush=True)
    return failed


def run_integrations(wanted: str, pytest_arguments: list[str]) -> int:
    groups = {path.parent.name: path for path in sorted(INTEGRATIONS.glob("*/requirements.txt"))}
    if wanted and wanted not in groups:
        print(
            f"no integration tests named {wanted!r}; there are: {', '.join(groups) or 'none'}",
            file=sys.stderr,
        )
        return 2
    if not groups:
        print("There are no integration tests yet.")
    codes = [run_group(path, pytest_arguments) for name, path in groups.items() if wanted in ("", name)]
    return max(codes, default=0)


def run_group(requirements: Path, pytest_arguments: list[str]) -> int:
    group = requirements.parent
    print(f"== integration: {group.name}", flush=True)
    listed = ("-e", ".", "-r", str(requirements.relative_to(CHECKOUT)), "pytest", "pytest-randomly", "hypothesis")
    files = [requirements]
    alone = group / "requirements-alone.txt"  # packages without what they depend on
    if alone.exists():
        files.append(alone)
    own = group / "constraints.txt"  # where what it needs clashes with ours
    if own.exists():
        files.append(own)
    venv = StampedVenv(
        CHECKOUT / ".venv-integrations" / group.name,
        listed,
        (*INPUTS, *files),
        alone=("-r", str(alone.relative_to(CHECKOUT))) if alone.exists() else (),
        constraints=str((own if own.exists() else CHECKOUT / "constraints.txt").relative_to(CHECKOUT)),
    )
    ready(venv)
    return run([venv.python, "-m", "pytest", group, *pytest_arguments], cwd=CHECKOUT)


if __name__ == "__main__":
    as_command(main)
