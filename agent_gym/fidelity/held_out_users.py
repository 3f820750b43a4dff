"""Conversations in, how true the customers mined from some of them are for the others out.

A customer is made from one conversation of a case and held against the others: led through them turn by turn, and
free-running against their agents' words. Where every case was met once, there is nobody else to hold it against: the
customers then run free against the agents of their own conversations, and nothing is foretold.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from agent_gym.corpus import Corpus
from agent_gym.environment import create_environment, play
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.scenario import has_customer
from agent_gym.fidelity.free_running import Manner, compare_manners, customer_turns
from agent_gym.fidelity.users import UserFidelity, measure_users
from agent_gym.stats import Rate, rate
from agent_gym.types import Json, Trace

__all__ = ["HeldOutUsers", "measure_held_out_users"]

_ATTEMPTS = 100  # held against their customers; more would take minutes and change little
_OF_A_CASE = 3

_Pair = tuple[str, Trace]  # the conversation a customer is made from, and another attempt at its case


@dataclass(frozen=True, slots=True)
class HeldOutUsers:
    """`foretold` is None where no case has two conversations; `manner` is None where no conversation has a customer."""

    attempts: int
    foretold: UserFidelity | None
    manner: Manner | None
    errors: Rate  # episodes in which the customer erred

    def to_dict(self) -> dict[str, Json]:
        told = self.foretold.to_dict() if self.foretold is not None else {"turns": 0}
        free: dict[str, Json] = {"episodes": self.errors.n}
        if self.manner is not None:
            free |= {field.name: getattr(self.manner, field.name) for field in fields(self.manner)}
            free |= {"errors": self.errors.value, "errors_interval": [self.errors.low, self.errors.high]}
        return {"attempts": self.attempts, **told, "free_running": free}


def measure_held_out_users(traces: Sequence[Trace], against: Sequence[Trace] | None = None) -> HeldOutUsers:
    """Customers of the traces, held against `against`; without it, against other conversations of their cases."""
    spoken = [trace for trace in traces if has_customer(trace)]
    if not spoken:
        return HeldOutUsers(0, None, None, rate(0, 0))
    train, pairs = _paired(spoken, [trace for trace in against or () if has_customer(trace)])
    free = pairs or [(trace.conversation_id, trace) for trace in spoken[:_ATTEMPTS]]
    needed = {built for built, _ in free}
    environment = create_environment([t for t in train if t.conversation_id in needed], agent="embedded")
    rollouts = [play(environment.episode(built), ReplayAgent(trace)) for built, trace in free]
    real = [customer_turns(trace.messages) for _, trace in free]
    return HeldOutUsers(
        attempts=len(pairs),
        foretold=measure_users(environment, pairs) if pairs else None,
        manner=compare_manners(real, [customer_turns(rollout.messages) for rollout in rollouts]),
        errors=rate(sum(bool(rollout.user_errors) for rollout in rollouts), len(rollouts)),
    )


def _paired(traces: Sequence[Trace], against: Sequence[Trace]) -> tuple[list[Trace], list[_Pair]]:
    """What is built from, and the pairs; where others are given, every trace is, else the first of each case."""
    corpus = Corpus(traces)
    first: dict[str, Trace] = {}
    others: dict[str, list[Trace]] = {}
    for trace in traces:
        if first.setdefault(corpus.case(trace), trace) is not trace and not against:
            others.setdefault(corpus.case(trace), []).append(trace)
    for trace in against:
        if corpus.case(trace) in first:
            others.setdefault(corpus.case(trace), []).append(trace)
    pairs = [
        (first[case].conversation_id, other) for case, found in sorted(others.items()) for other in found[:_OF_A_CASE]
    ]
    evenly = [pairs[at * len(pairs) // min(_ATTEMPTS, len(pairs))] for at in range(min(_ATTEMPTS, len(pairs)))]
    return list(first.values()), evenly
