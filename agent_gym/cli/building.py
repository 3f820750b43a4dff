"""Logs and a recipe in; a gym built in stages, gone on with where it was stopped, and summed up out."""

import os
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from agent_gym import __version__
from agent_gym.cli.counting import Counting
from agent_gym.cli.output import print_json, progress_console, told_only
from agent_gym.cli.sources import traces_of
from agent_gym.environment.stored import Recipe, build_gym
from agent_gym.errors import GymFileError, OptionError
from agent_gym.store import GymFile
from agent_gym.trace_parser.fingerprint import fingerprints
from agent_gym.types import Json, Trace

__all__ = ["run_build"]


def run_build(
    sources: list[Path],
    output: Path,
    add: list[Path],
    recipe: Recipe,
    *,
    workers: int | None,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    console, started = progress_console(quiet), time.perf_counter()
    if add:
        recipe, sources = _recipe_of(output, sources), [output, *add]
    if not sources:
        raise typer.BadParameter("name the logs to build from", param_hint="SRC")
    if dry_run:
        found = {"read": f"{len(traces_of(sources, console))} conversations", "write": str(output), "send": "nothing"}
        told_only(found, as_json)
        return
    manifest = {"sources": fingerprints(sources), "recipe": asdict(recipe), "version": __version__}
    try:
        with Counting(console) as counting:
            read, stages = partial(_unchanged, sources, manifest, console), _Stages(console)
            file = build_gym(output, read, recipe, manifest, stages, workers or _cores(), counting.show)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"what is done of {output} is kept") from None
    _summary(file, time.perf_counter() - started, console, as_json)


def _cores() -> int:
    """Those that this process may use, 4 at most: every process holds the conversations."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(4, usable)


def _recipe_of(gym: Path, sources: list[Path]) -> Recipe:
    """How the gym that is added to was made."""
    if sources:
        raise OptionError("SRC", sources[0], ("--add alone",), why="is built from anew: it does not go with --add")
    manifest = GymFile.open(gym).sections.get("manifest")
    if not isinstance(manifest, dict) or "recipe" not in manifest:
        raise GymFileError(gym, "it does not say how it was made", "build it from the logs, old and new together")
    return Recipe(**manifest["recipe"])


def _unchanged(sources: list[Path], manifest: dict[str, Json], console: Console) -> list[Trace]:
    traces = traces_of(sources, console)
    for before, after in zip(manifest["sources"], fingerprints(sources), strict=True):
        if before != after:
            raise GymFileError(before["path"], "it changed while it was being read", "build again once it is complete")
    return traces


class _Stages:
    """Says what is being done, and for how long it was."""

    def __init__(self, console: Console) -> None:
        self._console, self._name, self._since = console, "", time.perf_counter()

    def __call__(self, name: str) -> None:
        now = time.perf_counter()
        if self._name:
            self._console.print(f"{self._name}: {now - self._since:.1f} s", markup=False, style="dim")
        self._name, self._since = name, now
        self._console.print(f"{name} …", markup=False)


def _summary(file: GymFile, seconds: float, console: Console, as_json: bool) -> None:
    counts, gym = file.sections["counts"], file.path
    if as_json:
        splits = {"train": counts["train"], "test": counts["test"]}
        print_json({"gym": str(gym), "digest": file.content_digest, **counts, "splits": splits})
        return
    console.print(
        f"{gym}: {counts['conversations']:,} conversations ({counts['train']:,} to learn from, {counts['test']:,} "
        f"held out), {counts['calls']:,} calls of {counts['tools']} tools, {counts['successes']:,} known successes to "
        f"learn from; {gym.stat().st_size / 2**20:.1f} MB in {seconds:.1f} s",
        markup=False,
    )
    console.print(
        f"next: agent-gym fidelity {gym}   (how true is it?)   agent-gym eval {gym} --agent embedded", markup=False
    )
