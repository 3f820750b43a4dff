"""Prints how much practice could bring at most: what the embedded agent gains from better and from more conversations.

    python -m benchmarks.learning_bound [--seeds 0 1]

Practice can find out how the cases of the log are brought to a right end. Here that is told: every train case that
ended badly is played again by the generator's best agent until it ends well (twelve times at most: a few never do), and
the agent is cloned from the log made whole. Beside it: the clone of a log that is twice as long, with customers of whom
none is in the test cases. All are played in production on the same test cases (`benchmarks.learning`).
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from agent_gym.environment import Environment, create_environment
from agent_gym.sample import POLICY, SampleConversation, generate, play
from agent_gym.training import Options, started
from agent_gym.types import Agent, Trace
from benchmarks.learning import gain, in_production, interval

_TRIES = 12  # until the best agent has brought a case to a right end
_LENGTH = 640  # conversations of the log


def main() -> None:
    parser = argparse.ArgumentParser(description="How much could practice bring at most?")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="days of the sample business")
    for seed in parser.parse_args().seeds:
        bound(seed)


def bound(seed: int) -> None:
    longer = generate(seed, 2 * _LENGTH)  # begins with the log itself
    log = longer[:_LENGTH]
    environment = _environment([each.trace for each in log], seed, test_fraction=0.2)
    held = {trace.conversation_id for trace in environment.corpus.test}
    cases = [each for each in log if each.trace.conversation_id in held]
    train = [each for each in log if each.trace.conversation_id not in held]
    known = {each.case.account_id for each in cases}
    others = [each.trace for each in longer[_LENGTH:] if each.case.account_id not in known]
    whole = [ended_well(each) for each in train]
    print(f"\nsample business, seed {seed}: {len(train)} train conversations, {len(cases)} test cases, in production")
    before: list[float] = []
    for name, traces in (
        ("the log", [each.trace for each in train]),
        ("the log made whole", whole),
        ("a log twice as long", [*(each.trace for each in train), *others]),
    ):
        agent = _cloned(traces, seed)
        rows = [float(in_production(environment, case, agent)) for case in cases]
        before = before or rows
        print(f"  cloned from {name:20} {len(traces):5}  {interval(rows)}   {gain(before, rows)}", flush=True)


def ended_well(each: SampleConversation) -> Trace:
    """The conversation as it was, or as the best agent would have had it; as it was where that fails, too."""
    again = (play(each.case, "careful", _LENGTH + n) for n in range(0 if each.success else _TRIES))
    found = next((one.trace for one in again if one.success), None)
    return replace(found, outcome="resolved") if found is not None else each.trace


def _cloned(traces: Sequence[Trace], seed: int) -> Agent:
    learner = started(_environment(traces, seed), "no such file", Options())
    learner.imitate()
    return learner.agent.with_weights(learner.named(learner.cloned))


def _environment(traces: Sequence[Trace], seed: int, test_fraction: float = 0.0) -> Environment:
    return create_environment(traces, agent="embedded", policy=POLICY, test_fraction=test_fraction, seed=seed)


if __name__ == "__main__":
    main()
