"""A gym, or rollouts, and a filter in; the conversations to be written out, each with its split."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from agent_gym.corpus import Split
from agent_gym.environment import Environment
from agent_gym.environment.prefix import opened_at
from agent_gym.environment.rollout import Rollout
from agent_gym.errors import OptionError
from agent_gym.types import SOURCES, Json, Message, Trace

__all__ = ["Kept", "Wanted", "fits", "kept_rollouts", "kept_traces"]


@dataclass(frozen=True, slots=True)
class Kept:
    """One conversation to write, recorded or played."""

    conversation_id: str
    split: Split
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which conversations: how they ended, what they score, and where their tool answers come from.

    `outcome` is "succeeded", "failed", "all" or a label of the log; of a rollout, what its score says.
    """

    outcome: str = "succeeded"
    min_score: float | None = None
    sources: frozenset[str] | None = None

    def __post_init__(self) -> None:
        for source in sorted(self.sources or ()):
            if source not in SOURCES:
                raise OptionError("answers-from", source, SOURCES)

    def words(self) -> str:
        told = [f"outcome: {self.outcome}"]
        told += [f"score at least {self.min_score:g}"] if self.min_score is not None else []
        told += [f"every tool answer from {', '.join(sorted(self.sources))}"] if self.sources is not None else []
        return "; ".join(told)


def kept_traces(environment: Environment, wanted: Wanted) -> Iterator[Kept]:
    """The recorded conversations, as an episode shows them; their tool answers are the record itself."""
    outcome = None if wanted.outcome == "all" else wanted.outcome
    if wanted.sources is not None and "recorded" not in wanted.sources:
        return
    for scenario in environment.scenarios(outcome=outcome):
        trace = environment.corpus[scenario.conversation_id]
        messages = lived(scenario.prompt, trace)
        if wanted.min_score is None or environment.reward_fn.score(messages, trace) >= wanted.min_score:
            yield Kept(trace.conversation_id, scenario.split, messages, scenario.tools)


def lived(prompt: tuple[Message, ...], trace: Trace) -> tuple[Message, ...]:
    """The conversation with its case's prompt before it: the policy, where the trace has none."""
    return (*prompt, *trace.messages[opened_at(trace.messages) :])


def kept_rollouts(
    environment: Environment, rollouts: Iterable[Rollout], wanted: Wanted
) -> Iterator[tuple[Kept, Rollout]]:
    """What was played, but for what failed from outside and for customers that erred: nothing to learn from."""
    for rollout in rollouts:
        if rollout.score is not None and not rollout.user_errors and fits(rollout, wanted):
            scenario = environment.scenario(rollout.conversation_id)
            yield Kept(rollout.conversation_id, scenario.split, rollout.messages, scenario.tools), rollout


def fits(rollout: Rollout, wanted: Wanted) -> bool:
    score = rollout.score
    if score is None or (wanted.min_score is not None and score < wanted.min_score):
        return False
    if wanted.sources is not None and any(answer.source not in wanted.sources for _, answer in rollout.answers):
        return False
    if wanted.outcome not in ("succeeded", "failed", "all"):
        raise OptionError("outcome", wanted.outcome, ("succeeded", "failed", "all"), "is not said of a rollout")
    return wanted.outcome == "all" or score.success is (wanted.outcome == "succeeded")
