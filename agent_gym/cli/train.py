"""`agent-gym train`: a gym in, a policy that has practised in it out."""

from pathlib import Path

import typer

from agent_gym.cli.options import AS_JSON, DRY_RUN, POLICY, QUIET, SOURCES_HELP, TEST_FRACTION

__all__ = ["train"]


def train(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    output: Path = typer.Option(
        ..., "-o", "--output", help="The policy to write, as JSON; a run that was stopped goes on."
    ),
    rounds: int = typer.Option(2, min=1, help="Rounds of practice at most; it stops when it gets no better."),
    cases: int = typer.Option(45, min=1, help="Train cases to practise on in each round."),
    policy: Path | None = POLICY,
    test_fraction: float = TEST_FRACTION,
    seed: int = typer.Option(0, help="Another seed: other practice cases, other dice."),
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
    dry_run: bool = DRY_RUN,
) -> None:
    """Train the embedded agent in a gym: no key, no GPU, a minute or two.

    Example: agent-gym train support.gym -o policy.json && agent-gym eval support.gym --agent policy.json
    """
    from agent_gym.cli.practising import run_training  # noqa: PLC0415  --help must not wait for it
    from agent_gym.training import Options  # noqa: PLC0415  the same

    options = Options(seed=seed, rounds=rounds, cases=cases)
    run_training(sources, output, options, policy, test_fraction, as_json=as_json, quiet=quiet, dry_run=dry_run)
