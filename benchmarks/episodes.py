"""Prints what episodes cost, and whether their environments keep what they promise.

    python -m benchmarks.episodes [--traces DIR] [--live N] [--skip-checks]

Rates are steps in a second of processor time of one process, so that neighbours on the machine do not count. The
agents are recorded ones, whose actions are ready before the clock runs. The agenda customers hear other agents than
those of the conversations they are made of: no word of theirs has been read before. What is mined for a case when it
is first played (its customer, its goal, its tools' own answers) is timed apart: a trainer comes back to it many times.
"""

import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.utils.env_checker import check_env

from agent_gym.environment import Environment, Episode, create_environment
from agent_gym.environment.gymnasium import AnyText, TraceEnv
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.vector import TraceVectorEnv
from agent_gym.sample import POLICY, generate
from agent_gym.testing import check_environment
from agent_gym.types import Json, Message, Trace
from benchmarks.sources import arguments, case_of, load, traces_folder

Jobs = Sequence[tuple[str, Sequence[Message]]]  # a case, and what an agent does in it


def main() -> None:
    parser = arguments("What do episodes cost?")
    parser.add_argument("--live", type=int, default=10_000, help="episodes kept alive at a time")
    parser.add_argument("--skip-checks", action="store_true", help="only measure")
    options = parser.parse_args()
    folder = traces_folder(options.traces)
    if folder is None:
        print("no folder of public traces: pass --traces DIR; measuring the sample business alone\n")
    name = "sample business" if folder is None else "retail_a"
    traces = source(name, folder)
    environment = create_environment(traces, agent="embedded", policy=POLICY if folder is None else None)
    print(f"{name}: {len(traces)} conversations")
    speed(environment, traces)
    batches(environment)
    alive(environment, recorded(environment, traces), options.live)
    if not options.skip_checks:
        checks(environment, name)
        for other in ("sample business", "sgd_dev", "star") if folder is not None else ():
            policy = POLICY if other == "sample business" else None
            checks(create_environment(source(other, folder), agent="embedded", policy=policy), other)


def source(name: str, folder: Path | None) -> list[Trace]:
    if folder is None or name == "sample business":
        return [conversation.trace for conversation in generate(0, 320)]
    return load(folder, name)


def recorded(environment: Environment, traces: Sequence[Trace], other: bool = False) -> Jobs:
    """Every scorable case with tool calls, and what its own agent did there, or another agent in the same case."""
    by_case: dict[str, list[Trace]] = {}
    for trace in traces:
        by_case.setdefault(case_of(trace), []).append(trace)
    jobs = []
    for scenario in environment.scenarios():
        own = environment.corpus[scenario.conversation_id]
        mates = by_case[case_of(own)]
        agent = mates[(mates.index(own) + other) % len(mates)]  # each is heard once
        actions = ReplayAgent(agent).turns
        if scenario.scorable and any(message.tool_calls for message in actions):
            jobs.append((scenario.conversation_id, actions))
    return jobs


def speed(environment: Environment, traces: Sequence[Trace]) -> None:
    """Whole episodes: opened, stepped through to their end, and scored there."""
    own, others = recorded(environment, traces), recorded(environment, traces, other=True)
    environment.episode(own[0][0], max_turns=1).step("Hello.")  # fits the reward
    first = [timed(partial(environment.episode, case)) for case, _ in own]
    steps, seconds = played(environment, own, "replay")
    print(f"  a case is opened for the first time in {thousandth(first)}, then {steps / seconds:,.0f} steps/s")
    rates = {}
    for user, jobs in (("replay", own), ("agenda", others)):
        steps, seconds = played(environment, jobs, user)
        rates[user] = steps / seconds
        print(f"  {user:7} customer: {steps / seconds:7,.0f} steps/s ({len(jobs)} episodes, {steps} steps)")
    bare = bare_rate()
    print(f"  a bare Gymnasium environment with texts: {bare:,.0f} steps/s, {bare / rates['agenda']:,.0f} times that")
    env = TraceEnv(environment)
    resets = [timed(partial(env.reset, seed=seed)) for seed in range(300)]
    forks = [timed(episode.fork) for episode in midway(environment, own[:200])]
    print(f"  reset takes {thousandth(resets)}, a fork midway {thousandth(forks)}")


def played(environment: Environment, jobs: Jobs, user: str) -> tuple[int, float]:
    steps, started = 0, time.process_time()
    for case, actions in jobs:
        episode = environment.episode(case, user=user)
        for action in endless(actions):
            episode.step(action)
            steps += 1
            if episode.over:
                break
    return steps, time.process_time() - started


def endless(actions: Sequence[Message]) -> Iterator[Message]:
    """What the agent did; then its last words, until the customer has had enough of them."""
    yield from actions
    last = next((action for action in reversed(actions) if not action.tool_calls), Message("assistant", "Goodbye."))
    while True:
        yield last


def midway(environment: Environment, jobs: Jobs) -> Iterator[Episode]:
    for case, actions in jobs:
        episode = environment.episode(case)
        for action in actions[: len(actions) // 2]:
            if not episode.over:
                episode.step(action)
        yield episode


class Bare(gymnasium.Env[str, str]):
    """The least that an environment of texts can do."""

    def __init__(self) -> None:
        self.observation_space = AnyText()
        self.action_space = AnyText()

    def reset(self, *, seed: int | None = None, options: dict[str, Json] | None = None) -> tuple[str, dict[str, Json]]:
        super().reset(seed=seed, options=options)
        return "", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Json]]:
        return action, 0.0, False, False, {}


def bare_rate(steps: int = 200_000) -> float:
    env = Bare()
    env.reset(seed=0)
    started = time.process_time()
    for _ in range(steps):
        env.step("hello")
    return steps / (time.process_time() - started)


def batches(environment: Environment, size: int = 64, steps: int = 20) -> None:
    """The same episodes, seeds and words, stepped together and one by one."""
    words = ["How can I help?", "May I have your account number?", "Let me look into that. Is it about an order?"]
    vector = TraceVectorEnv(environment, size)
    singles = [TraceEnv(environment) for _ in range(size)]

    def together() -> None:
        vector.reset(seed=0)
        for at in range(steps):
            vector.step([words[at % len(words)]] * size)

    def one_by_one() -> None:
        over = [False] * size
        for at, env in enumerate(singles):
            env.reset(seed=at)
        for at in range(steps):
            for place, env in enumerate(singles):
                if over[place]:
                    env.reset()
                    over[place] = False
                else:
                    _, _, terminated, truncated, _ = env.step(words[at % len(words)])
                    over[place] = terminated or truncated

    together()  # opens the cases
    batched, looped = (min(timed(work) for _ in range(3)) for work in (together, one_by_one))
    each = size * steps
    print(
        f"  {size} episodes together: {each / batched:,.0f} steps/s; a loop over {size} environments: "
        f"{each / looped:,.0f}; together is {looped / batched:.2f} times as fast"
    )


def alive(environment: Environment, jobs: Jobs, count: int) -> None:
    """How much memory live episodes take, each a few steps into its conversation."""
    episodes = []
    before = resident()
    for at in range(count):
        case, actions = jobs[at % len(jobs)]
        episode = environment.episode(case, seed=at)
        for action in actions[:4]:
            if not episode.over:
                episode.step(action)
        episodes.append(episode)
    print(f"  {count:,} live episodes: {resident() - before:,.0f} MB; with all that was mined {resident():,.0f} MB")


def resident() -> float:
    """Megabytes that this process holds now; where the system does not say, the most it has held."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    return pages * resource.getpagesize() / 1e6


def checks(environment: Environment, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(environment.to_gymnasium(), skip_render_check=True)
    broken = [check for check in check_environment(environment, raise_on_failure=False) if not check.ok]
    said = "; ".join(f"{check.name}: {check.why}" for check in broken) or "keeps every promise"
    print(f"  {name}: check_env passes, check_environment: {said}")


def timed(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def thousandth(seconds: Sequence[float]) -> str:
    return f"{1e3 * statistics.median(seconds):.2f} ms (median)"


if __name__ == "__main__":
    main()
