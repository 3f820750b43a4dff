"""`agent-gym eval`: an agent plays many episodes; success, pass^k and every rollout come out."""

from pathlib import Path
from typing import Literal

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET, SOURCES_HELP, TEST_FRACTION

__all__ = ["eval_"]

_WHO = (
    "embedded, POLICY.json, gemini, gemini:MODEL, openai:MODEL, local, local:PATH, replay, scripted:do-nothing, "
    "scripted:random, module:callable"
)


def eval_(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    agent: str = typer.Option("embedded", help=f"Who plays: {_WHO}."),
    split: Literal["train", "test", "all"] | None = typer.Option(
        None, help="Which cases; test where there is one, else all."
    ),
    episodes: int | None = typer.Option(None, "-n", min=1, help="At most this many episodes; all cases by default."),
    trials: int = typer.Option(4, "-k", min=1, help="How often each case is played: pass^1 to pass^k."),
    output: Path | None = typer.Option(None, "-o", "--output", help="Keep every rollout here, and resume from it."),
    rescore: Path | None = typer.Option(None, help="Score the rollouts of this run again; no agent is asked."),
    workers: int | None = typer.Option(None, min=1, help="Episodes at a time; 8 for remote models, else 1."),
    policy: Path | None = POLICY,
    test_fraction: float = TEST_FRACTION,
    seed: int = typer.Option(0, help="Another seed: other customers' moods, another split of trace files."),
    price: str | None = typer.Option(
        None, help="Dollars for a million tokens, input/output, as 0.30/2.50: for the cost."
    ),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Measure an agent on recorded cases.

    Example: agent-gym eval support.gym --agent embedded -n 100 -k 4 -o run.jsonl
    """
    from agent_gym.cli.evaluating import Asked, run_eval  # noqa: PLC0415  --help must not wait for it

    asked = Asked(agent, split, episodes, trials, output, workers, seed)
    run_eval(sources, asked, rescore, policy, test_fraction, price, as_json=as_json, quiet=quiet, dry_run=dry_run)
