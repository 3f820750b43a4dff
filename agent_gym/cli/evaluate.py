"""`agent-gym eval`: an agent plays many episodes; success, pass^k and every rollout come out."""

from pathlib import Path
from typing import Literal, Self

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agent_gym.cli.plain import plain
from agent_gym.cli.sources import POLICY, SOURCES_HELP, TEST_FRACTION, opened, print_json, progress_console, read_policy
from agent_gym.environment import Environment
from agent_gym.evaluation import Attempt, Price, RunFile, Summary, agent_source, evaluate, planned, rescored, summarised
from agent_gym.evaluation.agents import AGENT_SPECS
from agent_gym.llm import is_model_spec
from agent_gym.text import digest

__all__ = ["eval_"]

_REMOTE_WORKERS = 8  # a remote agent waits most of the time; a local one has the processor to itself


def eval_(
    sources: list[Path] = typer.Argument(..., metavar="GYM", help=SOURCES_HELP),
    agent: str = typer.Option("embedded", help=f"Who plays: {', '.join(AGENT_SPECS)}."),
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
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Measure an agent on recorded cases.

    Example: agent-gym eval support.gym --agent embedded -n 100 -k 4 -o run.jsonl
    """
    console = progress_console()
    priced = Price.of_text(price) if price is not None else None
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=seed
    )
    if rescore is not None:
        attempts = [rescored(attempt, environment) for attempt in RunFile.open(rescore).attempts()]
        _report(summarised(attempts, priced), as_json)
        return
    chosen = None if split == "all" else split or ("test" if environment.corpus.test else None)
    plan = planned(environment, chosen, episodes, trials, seed)
    identity = {"gym": _mark(environment), "agent": agent, "split": chosen, "seed": seed}
    identity |= {"episodes": len(plan), "trials": trials}
    run = RunFile.start_or_resume(output, identity) if output is not None else None
    source = agent_source(agent, environment)
    at_once = workers or (_REMOTE_WORKERS if is_model_spec(agent) else 1)
    with _Tally(console, f"{agent} in {len(plan.conversation_ids)} cases", len(plan), run) as tally:
        attempts = evaluate(environment, source, plan, run=run, workers=at_once, on_attempt=tally.count)
    _report(summarised(attempts, priced), as_json)


class _Tally:
    """Progress while a run goes on; Ctrl-C leaves with what is kept and how to go on."""

    def __init__(self, console: Console, title: str, total: int, run: RunFile | None) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(
            *columns, TextColumn("{task.fields[success]}"), console=console, disable=not console.is_terminal
        )
        self._run = run
        kept = [a for a in run.attempts() if a.rollout.failure is None] if run is not None else []
        self._won, self._played = sum(map(_succeeded, kept)), len(kept)
        self._task = self._bar.add_task(title, total=total, completed=self._played, success="")

    def count(self, attempt: Attempt) -> None:
        self._won, self._played = self._won + _succeeded(attempt), self._played + 1
        self._bar.update(self._task, advance=1, success=f"{self._won / self._played:.0%} success")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._bar.stop()
        kept = ""
        if self._run is not None:
            kept = f"{self._played} episodes are in {self._run.path}"
        if kind is KeyboardInterrupt:
            hint = f": {kept}; the same command goes on from there" if kept else "; with -o FILE a run can be resumed"
            self._bar.console.print(f"stopped{hint}", markup=False)
            raise typer.Exit(130)
        if kept and kind is None:
            self._bar.console.print(kept, markup=False)


def _succeeded(attempt: Attempt) -> bool:
    return attempt.rollout.score is not None and attempt.rollout.score.success


def _mark(environment: Environment) -> str:
    """What tells one body of cases from another."""
    ids = sorted((t.conversation_id, environment.corpus.split(t.conversation_id)) for t in environment.corpus)
    return digest([ids, environment.policy]).hex()


def _report(summary: Summary, as_json: bool) -> None:
    if as_json:
        print_json(summary.to_dict())
        return
    table = Table(title=f"{summary.episodes:,} episodes in {summary.scenarios:,} cases", title_justify="left")
    table.add_column("")
    table.add_column("")
    won, paid = summary.success_rate, summary.mean_reward
    table.add_row("success", f"{won.value:.1%} [{won.low:.1%}, {won.high:.1%}]")
    for k, estimate in summary.pass_hat.items():
        table.add_row(f"pass^{k}", f"{estimate.value:.1%} [{estimate.low:.1%}, {estimate.high:.1%}]")
    table.add_row("mean reward", f"{paid.value:.3f} [{paid.low:.3f}, {paid.high:.3f}]")
    table.add_row("turns an episode", f"{summary.turns:.1f}")
    table.add_row("tool errors an episode", f"{summary.tool_errors:.2f}")
    table.add_row("episodes off support", f"{summary.off_support:.1%}")
    table.add_row("with an error of the customer's", f"{summary.user_errors:.1%}")
    table.add_row("ended", ", ".join(f"{name.replace('_', ' ')} {n:,}" for name, n in summary.endings.items()))
    if summary.usage is not None:
        used = f"{summary.usage.input_tokens:,} in, {summary.usage.output_tokens:,} out"
        table.add_row("tokens", used if summary.cost is None else f"{used}: ${summary.cost:,.2f}")
    if summary.failed:
        why = ", ".join(f"{plain(name)} {n:,}" for name, n in summary.failures.items())
        table.add_row("failed, not counted", f"{summary.failed:,} ({why})")
    Console(emoji=False).print(table)
    parts = ", ".join(f"{name} {value:.2f}" for name, value in summary.parts.items())
    Console(emoji=False).print(f"[dim]parts of the reward, where they apply: {parts}[/]")
