"""A plan in, a bar that its attempts move out: for notebooks and scripts; the command line has its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agent_gym.evaluation.run import Plan
from agent_gym.evaluation.runfile import Attempt

__all__ = ["watched"]


@contextmanager
def watched(plan: Plan, console: Console | None = None) -> Iterator[Callable[[Attempt], None]]:
    """What to give `evaluate` as `on_attempt`. The bar is on stderr, or below the cell; elsewhere nothing is shown."""
    shown = console or Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=shown, disable=not (shown.is_terminal or shown.is_jupyter)) as bar:
        task = bar.add_task("episodes", total=len(plan))
        won = 0

        def on_attempt(attempt: Attempt) -> None:
            nonlocal won
            score = attempt.rollout.score
            won += score is not None and bool(score.success)
            bar.update(task, advance=1, description=f"episodes, {won:,} successes")

        yield on_attempt
