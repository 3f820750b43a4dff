"""Stored rollouts in, the same with today's reward out: no model is asked, no customer speaks."""

from dataclasses import replace

from agent_gym.environment import Environment, Rollout
from agent_gym.environment.episode import delivered
from agent_gym.evaluation.runfile import Attempt
from agent_gym.text import same
from agent_gym.types import WorldView

__all__ = ["rescored"]


def rescored(attempt: Attempt, environment: Environment) -> Attempt:
    """The attempt with the score that this environment's reward gives it; a failed one stays as it is."""
    rollout = attempt.rollout
    goal = environment.scenario(rollout.conversation_id).goal
    if rollout.failure is not None or goal is None:
        return attempt
    world = _world(rollout, environment)
    score = environment.reward_fn.score(delivered(rollout.messages), goal.conversation_id, world)
    return replace(attempt, rollout=replace(rollout, score=score))


def _world(rollout: Rollout, environment: Environment) -> WorldView | None:
    """The end state, by running the calls again; None if the tools answer otherwise than they did then."""
    session = environment.tool_mocker.session(rollout.conversation_id, seed=rollout.seed)
    for call, answer in rollout.answers:
        again = session.call(call.name, call.arguments)
        if again.is_error != answer.is_error or not same(again.result, answer.result):
            return None
    return session.world
