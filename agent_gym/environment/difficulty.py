"""Scenarios and an agent in, how often it succeeds in each out: cases that all fail or all pass teach nothing."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_gym.environment.rollout import play
from agent_gym.environment.scenario import Scenario
from agent_gym.types import Agent

if TYPE_CHECKING:
    from agent_gym.environment.environment import Environment

__all__ = ["pass_rate", "within"]


def pass_rate(environment: "Environment", conversation_id: str, agent: Agent, k: int) -> float:
    """The share of k episodes, of k seeds, that the agent brings to a success."""
    scores = [play(environment.episode(conversation_id, seed=seed), agent).score for seed in range(k)]
    return sum(score is not None and score.success for score in scores) / k


def within(
    environment: "Environment", scenarios: Iterable[Scenario], bounds: tuple[float, float], agent: Agent, k: int
) -> Iterable[Scenario]:
    """The scorable scenarios whose pass rate lies within the bounds."""
    low, high = bounds
    for scenario in scenarios:
        if scenario.scorable and low <= pass_rate(environment, scenario.conversation_id, agent, k) <= high:
            yield scenario
