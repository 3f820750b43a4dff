"""`agent-gym train`: a gym in, a policy that has practised in it out."""

import time
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agent_gym.cli.sources import POLICY, SOURCES_HELP, TEST_FRACTION, opened, print_json, progress_console, read_policy
from agent_gym.evaluation import Summary
from agent_gym.training import Compared, Learner, Options, Round, compared, drawn, sparkline, started, written
from agent_gym.training.run import test_plan

__all__ = ["train"]


def train(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    output: Path = typer.Option(
        ..., "-o", "--output", help="The policy to write, as JSON; a run that was stopped goes on."
    ),
    rounds: int = typer.Option(
        Options().rounds, min=1, help="Rounds of practice at most; it stops when it gets no better."
    ),
    cases: int = typer.Option(Options().cases, min=1, help="Train cases to practise on in each round."),
    policy: Path | None = POLICY,
    test_fraction: float = TEST_FRACTION,
    seed: int = typer.Option(0, help="Another seed: other practice cases, other dice."),
    as_json: bool = typer.Option(False, "--json", help="Print before and after, on the test split, as JSON."),
) -> None:
    """Train the embedded agent in a gym: no key, no GPU, a minute or two.

    Example: agent-gym train support.gym -o policy.json && agent-gym eval support.gym --agent policy.json
    """
    console = progress_console()
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    plan = test_plan(environment, seed)
    learner = started(environment, output, Options(seed=seed, rounds=rounds, cases=cases))
    curve = output.with_suffix(".svg")
    with _Rounds(console, output) as shown:
        shown.run(learner, curve)
        found = compared(learner, plan, lambda _: shown.tick("on the test split", 2 * len(plan)))
    if as_json:
        print_json(found.to_dict())
    else:
        _report(found, learner)
    console.print(f"the policy is in {output}, its curve in {curve}: agent-gym eval GYM --agent {output}", markup=False)


class _Rounds:
    """Progress of a training; Ctrl-C leaves with what is kept and how to go on."""

    def __init__(self, console: Console, output: Path) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console, disable=not console.is_terminal, transient=True)
        self._output = output
        self._task = self._bar.add_task("", total=None)
        self._title = ""
        self._saved = output.exists()

    def run(self, learner: Learner, curve: Path) -> None:
        began = time.perf_counter()
        if not learner.history:
            learner.imitate(partial(self.show, "looking at recorded turns"))
            self._keep(learner, curve, began)
        while not learner.over:
            learner.practise(partial(self.show, f"round {len(learner.history)}"))
            self._keep(learner, curve, began)
        self._bar.console.print(learner.over, markup=False)

    def _keep(self, learner: Learner, curve: Path, began: float) -> None:
        written(learner, self._output)
        curve.write_text(drawn(learner.history, "Success and reward in cases not practised on"), encoding="utf-8")
        self._saved = True
        self._bar.console.print(_told(learner.history, time.perf_counter() - began), markup=False)

    def show(self, title: str, done: int, total: int) -> None:
        self._bar.update(self._task, description=title, completed=done, total=total)

    def tick(self, title: str, total: int) -> None:
        if title != self._title:
            self._title = title
            self._bar.update(self._task, description=title, completed=0, total=total)
        self._bar.advance(self._task)

    def __enter__(self) -> "_Rounds":
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._bar.stop()
        if kind is KeyboardInterrupt:
            kept = f": {self._output} holds the best policy so far; the same command goes on from there"
            self._bar.console.print(f"stopped{kept if self._saved else ' before the first round'}", markup=False)
            raise typer.Exit(130)


def _told(history: list[Round], seconds: float) -> str:
    """One line a round: what a person watches."""
    last = history[-1]
    name = "clone  " if last.number == 0 else f"round {last.number}"
    held = ", ".join(f"{flag} {share:.0%}" for flag, share in last.flags.items())
    return (
        f"{name} reward {last.reward:.3f}, success {last.success:.0%} "
        f"[{last.success_low:.0%}, {last.success_high:.0%}] "
        f"{sparkline([each.success for each in history])} {seconds:.0f} s, {last.turns:,} turns"
        + (f"; held against it: {held}" if held else "")
    )


def _report(found: Compared, learner: Learner) -> None:
    table = Table(title=f"{found.after.scenarios:,} test cases, never seen in training", title_justify="left")
    for column in ("", "before: the clone", "after: trained"):
        table.add_column(column)
    table.add_row("success", _share(found.before), _share(found.after))
    table.add_row("mean reward", _mean(found.before), _mean(found.after))
    table.add_row("turns an episode", f"{found.before.turns:.1f}", f"{found.after.turns:.1f}")
    table.add_row("tool errors an episode", f"{found.before.tool_errors:.2f}", f"{found.after.tool_errors:.2f}")
    table.add_row("episodes off support", f"{found.before.off_support:.1%}", f"{found.after.off_support:.1%}")
    console = Console(emoji=False)
    console.print(table)
    after, before = learner.named(learner.best), learner.named(learner.cloned)
    moved = sorted(((name, by - before.get(name, 0.0)) for name, by in after.items()), key=lambda row: -abs(row[1]))[:6]
    console.print(f"[dim]what changed most: {', '.join(f'{name} {by:+.2f}' for name, by in moved)}[/]")


def _share(summary: Summary) -> str:
    won = summary.success_rate
    return f"{won.value:.1%} [{won.low:.1%}, {won.high:.1%}]"


def _mean(summary: Summary) -> str:
    paid = summary.mean_reward
    return f"{paid.value:.3f} [{paid.low:.3f}, {paid.high:.3f}]"
