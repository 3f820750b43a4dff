"""A training run and its file: started or resumed, written down after every round, compared on the test split."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from agent_gym.agent import EmbeddedAgent, PolicyFile, gym_digest
from agent_gym.environment import Environment
from agent_gym.errors import AgentGymError, PolicyFileError
from agent_gym.evaluation import Attempt, Plan, Summary, evaluate, planned, summarised
from agent_gym.training.form import Vector
from agent_gym.training.learner import Learner, Options
from agent_gym.types import Json

__all__ = ["Compared", "compared", "started", "test_plan", "written"]


def started(environment: Environment, path: str | os.PathLike[str], options: Options) -> Learner:
    """A learner that has learned nothing yet, or the one the file holds if it is of the same gym and options."""
    agent = environment.agent
    if not isinstance(agent, EmbeddedAgent):
        agent = EmbeddedAgent.fit(environment.corpus, environment.tool_mocker.write_tools, environment.policy)
    if not Path(path).exists():
        return Learner(environment, agent, options)
    file = PolicyFile.read(path)
    file.check(path, environment.corpus)
    if file.training.get("options") != asdict(options):
        raise PolicyFileError(path, "it was trained with other options", "choose another file, or delete it")
    try:
        return Learner.resumed(environment, agent, file.cloned, file.weights, file.training)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise PolicyFileError(path, f"what it says of its training cannot be used ({error!r})", "delete it") from error


def written(learner: Learner, path: str | os.PathLike[str]) -> None:
    """The best policy so far, with what is needed to go on."""
    gym = gym_digest(learner.environment.corpus)
    best, cloned = learner.named(learner.best), learner.named(learner.cloned)
    PolicyFile(gym, best, cloned, learner.to_dict()).write(path)


@dataclass(frozen=True, slots=True)
class Compared:
    """The clone and the trained policy in the same test cases, with the same customers."""

    before: Summary
    after: Summary

    def to_dict(self) -> dict[str, Json]:
        return {"before": self.before.to_dict(), "after": self.after.to_dict()}


def test_plan(environment: Environment, seed: int) -> Plan:
    """The untouched cases; told to be missing before time is spent on training."""
    if not environment.corpus.test:
        raise AgentGymError("no conversation is held out to test on; build the gym with --test-fraction 0.2")
    return planned(environment, "test", seed=seed)


def compared(learner: Learner, plan: Plan, on_attempt: Callable[[Attempt], None] = lambda _: None) -> Compared:
    """Both policies on the plan; nothing of it has been seen in training."""

    def tried(weights: Vector) -> Summary:
        agent = learner.agent.with_weights(learner.named(weights))
        return summarised(evaluate(learner.environment, lambda _: agent, plan, on_attempt=on_attempt))

    return Compared(before=tried(learner.cloned), after=tried(learner.best))
