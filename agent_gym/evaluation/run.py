"""The loop over episodes: a plan and an agent in, attempts out, as many at a time as the agent is worth."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agent_gym.corpus import Split
from agent_gym.environment import Environment, play
from agent_gym.environment.rollout import rolled_out
from agent_gym.errors import AgentGymError, LlmError
from agent_gym.evaluation.agents import AgentSource
from agent_gym.evaluation.metering import used_by
from agent_gym.evaluation.runfile import Attempt, RunFile

__all__ = ["Plan", "evaluate", "planned"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which scenarios, how often each, from which seed on."""

    conversation_ids: tuple[str, ...]
    trials: int
    seed: int = 0

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """All first trials come before all second ones: a run that is stopped has seen every case."""
        for trial in range(self.trials):
            for conversation_id in self.conversation_ids:
                yield conversation_id, trial

    def __len__(self) -> int:
        return len(self.conversation_ids) * self.trials


def planned(
    environment: Environment, split: Split | None, episodes: int | None = None, trials: int = 1, seed: int = 0
) -> Plan:
    """The scorable scenarios of the split, `trials` times each; at most `episodes` in all, evenly drawn."""
    ids = environment.playable(split, scorable=True)
    if not ids:
        raise AgentGymError(
            f"no {split or 'recorded'} conversation has a goal to play for; "
            "build with --test-fraction, or evaluate --split train"
        )
    wanted = len(ids) if episodes is None else max(1, min(len(ids), episodes // trials))
    chosen = [ids[at * len(ids) // wanted] for at in range(wanted)]
    return Plan(tuple(chosen), trials, seed)


def evaluate(
    environment: Environment,
    source: AgentSource,
    plan: Plan,
    *,
    run: RunFile | None = None,
    workers: int = 1,
    on_attempt: Callable[[Attempt], None] = lambda _: None,
    **options: Any,  # those of `Environment.episode`
) -> list[Attempt]:
    """Play what the plan asks and the run does not hold yet; a failed attempt of an earlier time is tried again."""
    done = {attempt.key: attempt for attempt in run.attempts()} if run is not None else {}
    done = {key: attempt for key, attempt in done.items() if attempt.rollout.failure is None}
    todo = [job for job in plan if job not in done]

    def finish(attempt: Attempt) -> None:
        done[attempt.key] = attempt
        if run is not None:
            run.add(attempt)
        on_attempt(attempt)

    def attempted(job: tuple[str, int]) -> Attempt:
        return _attempt(environment, source, job, plan.seed, options)

    _each(todo, attempted, finish, workers)
    return [done[job] for job in plan if job in done]


def _attempt(
    environment: Environment, source: AgentSource, job: tuple[str, int], seed: int, options: dict[str, Any]
) -> Attempt:
    conversation_id, trial = job
    started = time.perf_counter()
    episode = environment.episode(conversation_id, seed=seed + trial, **options)
    agent = source(episode)
    try:
        rollout = play(episode, agent)
    except LlmError as error:
        # The model's failure, not the agent's: it is counted apart, and its siblings live.
        rollout = rolled_out(episode, failure=f"{type(error).__name__}: {error}")
    return Attempt(trial, rollout, time.perf_counter() - started, used_by(agent))


def _each(
    jobs: Sequence[tuple[str, int]],
    attempted: Callable[[tuple[str, int]], Attempt],
    finish: Callable[[Attempt], None],
    workers: int,
) -> None:
    if workers <= 1:
        for job in jobs:
            finish(attempted(job))
        return
    waiting = iter(jobs)
    with ThreadPoolExecutor(workers) as pool:
        running = {pool.submit(attempted, job) for job in islice(waiting, workers)}
        try:
            while running:
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    finish(future.result())
                    running |= {pool.submit(attempted, job) for job in islice(waiting, 1)}
        except KeyboardInterrupt:
            # What is under way is paid for: let it end, and keep it.
            for future in wait(running).done:
                finish(future.result())
            raise
