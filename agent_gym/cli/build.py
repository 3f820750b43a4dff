"""`agent-gym build`: logs in, one gym file out."""

import time
from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET
from agent_gym.cli.output import print_json, progress_console, read_policy, told_only

__all__ = ["build"]


def build(
    sources: list[Path] = typer.Argument(..., metavar="SRC...", help="Trace files (JSON, JSONL, gz of either)."),
    output: Path = typer.Option(..., "-o", "--output", help="The gym file to write."),
    test_fraction: float = typer.Option(0.2, help="The share of conversations held out, whole customers at a time."),
    policy: Path | None = POLICY,
    seed: int = typer.Option(0, help="Another seed: another split."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Mine logs once, and keep the result as one file.

    Example: agent-gym build conversations.jsonl -o support.gym
    """
    from agent_gym.cli.sources import opened, traces_of  # noqa: PLC0415  --help must not wait for it

    console = progress_console(quiet)
    if dry_run:
        found = {"read": f"{len(traces_of(sources, console))} conversations", "write": str(output), "send": "nothing"}
        told_only(found, as_json)
        return
    started = time.perf_counter()
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    file = environment.save(output)
    counts = environment.counts
    if as_json:
        splits = {"train": counts["train"], "test": counts["test"]}
        print_json({"gym": str(output), "digest": file.content_digest, **counts, "splits": splits})
        return
    console.print(
        f"{output}: {counts['conversations']:,} conversations ({counts['train']:,} to learn from, {counts['test']:,} "
        f"held out), {counts['calls']:,} calls of {counts['tools']} tools, {counts['successes']:,} known successes to "
        f"learn from; {output.stat().st_size / 2**20:.1f} MB in {time.perf_counter() - started:.1f} s",
        markup=False,
    )
    console.print(
        f"next: agent-gym fidelity {output}   (how true is it?)   agent-gym eval {output} --agent embedded",
        markup=False,
    )
