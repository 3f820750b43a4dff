"""A gym and training options in; a policy trained round by round, kept, resumed and compared out."""

import time
from functools import partial
from pathlib import Path

from rich.table import Table

from agent_gym.cli.counting import Counting
from agent_gym.cli.output import data_console, print_json, progress_console, read_policy, told_only
from agent_gym.cli.sources import opened
from agent_gym.errors import MissingExtra
from agent_gym.evaluation import Summary
from agent_gym.training import (
    Compared,
    Learner,
    Options,
    Round,
    compared,
    drawn,
    listed,
    pictured,
    sparkline,
    started,
    written,
)
from agent_gym.training.run import test_plan

__all__ = ["run_training"]


def run_training(
    sources: list[Path],
    output: Path,
    options: Options,
    policy: Path | None,
    test_fraction: float,
    *,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    console = progress_console(quiet)
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=options.seed
    )
    plan = test_plan(environment, options.seed)
    learner = started(environment, output, options)
    curve = output.with_suffix(".png")
    if dry_run:
        practice = f"{len(learner.practice)} cases, {options.rounds} rounds at most, {len(learner.history)} done"
        told_only(
            {"practise": practice, "test": f"{len(plan)} cases", "write": f"{output}, {curve}", "send": "nothing"},
            as_json,
        )
        return
    with Counting(console) as counting:
        rounds = _Rounds(counting, output)
        try:
            rounds.run(learner)
            found = compared(learner, plan, lambda _: rounds.tick("on the test split", 2 * len(plan)))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(rounds.kept) from None
    if as_json:
        print_json(found.to_dict())
    else:
        _report(found, learner)
    console.print(
        f"the policy is in {output}, its curve in {rounds.curve}: agent-gym eval GYM --agent {output}",
        markup=False,
        soft_wrap=True,
    )


class _Rounds:
    """Practice, round by round, each kept as it ends."""

    def __init__(self, counting: Counting, output: Path) -> None:
        self._counting = counting
        self._output = output
        self._ticks = 0
        self.curve = str(output.with_suffix(".png"))  # where it is, once there is one

    @property
    def kept(self) -> str:
        return f"{self._output} holds the best policy so far" if self._output.exists() else ""

    def run(self, learner: Learner) -> None:
        began = time.perf_counter()
        if not learner.history:
            learner.imitate(partial(self._counting.show, "looking at recorded turns"))
            self._keep(learner, began)
        while not learner.over:
            learner.practise(partial(self._counting.show, f"round {len(learner.history)}"))
            self._keep(learner, began)
        number = learner.kept.number
        kept = f"that of round {number}" if number else "the clone: no round does better by more than chance"
        self._counting.console.print(f"{learner.over}; the policy is {kept}", markup=False)

    def _keep(self, learner: Learner, began: float) -> None:
        written(learner, self._output)
        self._draw(learner.history, "Success and reward in cases not practised on")
        self._counting.console.print(_told(learner.history, time.perf_counter() - began), markup=False)

    def _draw(self, history: list[Round], title: str) -> None:
        """The curve as a PNG; as SVG where the extra that draws a PNG is not installed."""
        try:
            self._output.with_suffix(".png").write_bytes(pictured(history, title))
        except MissingExtra as missing:
            drawing = self._output.with_suffix(".svg")
            drawing.write_text(drawn(history, title), encoding="utf-8")
            self.curve = f"{drawing} ({missing})"

    def tick(self, title: str, total: int) -> None:
        self._ticks += 1
        self._counting.show(title, self._ticks, total)


def _told(history: list[Round], seconds: float) -> str:
    """One line a round: what a person watches."""
    last = history[-1]
    name = "clone  " if last.number == 0 else f"round {last.number}"
    return (
        f"{name} reward {last.reward:.3f}, success {last.success:.0%} "
        f"[{last.success_low:.0%}, {last.success_high:.0%}] "
        f"{sparkline([each.success for each in history])} {seconds:.0f} s, {last.turns:,} turns"
        + (f"; held against it: {listed(last.flags)}" if last.flags else "")
        + (f"; hacks that pay: {listed(last.paying)}" if last.paying else "")
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
    console = data_console()
    console.print(table)
    if not learner.kept.number:
        console.print("[dim]a gym of more conversations helps this agent more than further rounds: docs/training.md[/]")
        return
    after, before = learner.named(learner.best), learner.named(learner.cloned)
    moved = sorted(((name, by - before.get(name, 0.0)) for name, by in after.items()), key=lambda row: -abs(row[1]))[:6]
    console.print(f"[dim]what changed most: {', '.join(f'{name} {by:+.2f}' for name, by in moved)}[/]")


def _share(summary: Summary) -> str:
    won = summary.success_rate
    return f"{won.value:.1%} [{won.low:.1%}, {won.high:.1%}]"


def _mean(summary: Summary) -> str:
    paid = summary.mean_reward
    return f"{paid.value:.3f} [{paid.low:.3f}, {paid.high:.3f}]"
