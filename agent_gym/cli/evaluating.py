"""What `agent-gym eval` was asked in; episodes played, kept, resumed and summed up out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.table import Table

from agent_gym.cli.counting import Counting
from agent_gym.cli.output import data_console, print_json, progress_console, read_policy, told_only
from agent_gym.cli.plain import plain
from agent_gym.cli.sources import opened
from agent_gym.environment import Environment
from agent_gym.evaluation import Attempt, Price, RunFile, Summary, agent_source, evaluate, planned, rescored, summarised
from agent_gym.llm import is_model_spec
from agent_gym.text import digest

__all__ = ["Asked", "run_eval"]

_REMOTE_WORKERS = 8  # a remote agent waits most of the time; a local one has the processor to itself


@dataclass(frozen=True, slots=True)
class Asked:
    """Who plays what, how often, and where it is kept."""

    agent: str
    split: Literal["train", "test", "all"] | None
    episodes: int | None
    trials: int
    output: Path | None
    workers: int | None
    seed: int


def run_eval(
    sources: list[Path],
    asked: Asked,
    rescore: Path | None,
    policy: Path | None,
    test_fraction: float,
    price: str | None,
    *,
    as_json: bool,
    quiet: bool,
    dry_run: bool,
) -> None:
    console = progress_console(quiet)
    priced = Price.of_text(price) if price is not None else None
    environment = opened(
        sources, console, agent="embedded", policy=read_policy(policy), test_fraction=test_fraction, seed=asked.seed
    )
    if rescore is not None:
        attempts = [rescored(attempt, environment) for attempt in RunFile.open(rescore).attempts()]
        _report(summarised(attempts, priced), as_json)
        return
    chosen = None if asked.split == "all" else asked.split or ("test" if environment.corpus.test else None)
    plan = planned(environment, chosen, asked.episodes, asked.trials, asked.seed)
    title = f"{asked.agent} in {len(plan.conversation_ids)} cases"
    if dry_run:
        remote = f"the conversations, to {asked.agent}" if is_model_spec(asked.agent) else "nothing"
        told_only({"play": f"{len(plan)} episodes, {title}", "write": str(asked.output), "send": remote}, as_json)
        return
    identity = {"gym": _mark(environment), "agent": asked.agent, "split": chosen, "seed": asked.seed}
    identity |= {"episodes": len(plan), "trials": asked.trials}
    run = RunFile.start_or_resume(asked.output, identity) if asked.output is not None else None
    source = agent_source(asked.agent, environment)
    at_once = asked.workers or (_REMOTE_WORKERS if is_model_spec(asked.agent) else 1)
    with Counting(console) as counting:
        tally = _Tally(counting, title, len(plan), run)
        try:
            attempts = evaluate(environment, source, plan, run=run, workers=at_once, on_attempt=tally.count)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(tally.kept or "with -o FILE what is played is kept") from None
    if tally.kept:
        console.print(tally.kept, markup=False, soft_wrap=True)
    _report(summarised(attempts, priced), as_json)


class _Tally:
    """How many episodes are played and won, of those a run holds already too."""

    def __init__(self, counting: Counting, title: str, total: int, run: RunFile | None) -> None:
        self._counting, self._title, self._total, self._run = counting, title, total, run
        kept = [a for a in run.attempts() if a.rollout.failure is None] if run is not None else []
        self._won, self._played = sum(map(_succeeded, kept)), len(kept)

    def count(self, attempt: Attempt) -> None:
        self._won, self._played = self._won + _succeeded(attempt), self._played + 1
        self._counting.show(self._title, self._played, self._total, f"{self._won / self._played:.0%} success")

    @property
    def kept(self) -> str:
        return f"{self._played} episodes are in {self._run.path}" if self._run is not None else ""


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
    console = data_console()
    console.print(table)
    parts = ", ".join(f"{name} {value:.2f}" for name, value in summary.parts.items())
    console.print(f"[dim]parts of the reward, where they apply: {parts}[/]")
