"""Behaviour cloning: successful conversations in, the weights that choose what their agents did out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from agent_gym.agent import EmbeddedAgent
from agent_gym.agent.embedded.candidate import Candidate
from agent_gym.agent.embedded.points import Point
from agent_gym.environment import Environment
from agent_gym.text import canonical, tokens
from agent_gym.training.forest import Forest
from agent_gym.training.form import Vector
from agent_gym.types import ToolCall

__all__ = ["Example", "clone", "examples"]

_LEAST = 0.3  # words less alike than this say something else
_PULL = 2.0  # how strongly weights are held to where they start, in examples
_SHARP = 4.0  # how much more the likest of several fitting candidates counts


@dataclass(frozen=True, slots=True)
class Example:
    """A recorded turn: the candidates there, and how much each is what the agent did."""

    features: NDArray[np.float32]
    fitting: Vector


def examples(
    environment: Environment, agent: EmbeddedAgent, forest: Forest, most: int, progress: Callable[[int, int], None]
) -> list[Example]:
    """The recorded turns at which one of the candidates does what was done, evenly drawn; at most so many are tried."""
    points = list(enumerate(agent.record.memory.points))
    points = points[:: max(1, -(-len(points) // most))]
    found = []
    for n, (number, point) in enumerate(points):
        progress(n, len(points))
        tools = environment.scenario(point.conversation_id).tools
        candidates = agent.proposed(point.state, tools, forest.hidden(point.conversation_id))
        fitting = np.array([_fit(candidate, point, number, agent) for candidate in candidates])
        if fitting.max() >= _LEAST and len(candidates) > 1:
            fitting = np.where(fitting >= _LEAST, fitting, 0.0) ** _SHARP
            rows = forest.rows([candidate.features for candidate in candidates])
            found.append(Example(rows, fitting / fitting.sum()))
    return found


def clone(made: Sequence[Example], start: Vector) -> Vector:
    """The weights under which the softmax over candidates is likest to what was done, held near where they start."""
    if not made:
        return start
    size = made[0].features.shape[1]
    start, lessons = start[:size], start[size:]

    def loss(weights: Vector) -> tuple[float, Vector]:
        value, slope = _PULL / 2 * float(((weights - start) ** 2).sum()), _PULL * (weights - start)
        for example in made:
            points = example.features @ weights
            points -= points.max()
            chances = np.exp(points)
            chances /= chances.sum()
            value -= float(example.fitting @ np.log(chances + 1e-12))
            slope += (chances - example.fitting) @ example.features
        return value, slope

    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.concatenate([found.x, lessons])


def _fit(candidate: Candidate, point: Point, number: int, agent: EmbeddedAgent) -> float:
    """How much the candidate is what the record did here: the same calls, the same purpose, or like words."""
    calls = candidate.message.tool_calls
    if point.calls or calls:
        return float(bool(point.calls) and _calls(calls) == _calls(point.calls[:1]))
    return max(_alike(candidate.message.text, point.reply), _purpose(candidate, number, agent))


def _calls(calls: Sequence[ToolCall]) -> list[tuple[str, bytes]]:
    return [(call.name, canonical(call.arguments)) for call in calls]


def _purpose(candidate: Candidate, number: int, agent: EmbeddedAgent) -> float:
    """Whether the reply of this number asked for the same argument, or for a yes to the same write."""
    asked = agent.record.elicits.get(number, frozenset())
    if candidate.kind == "ask" and candidate.about in asked:
        return 0.8
    confirmed = candidate.kind == "confirm" and number in agent.record.confirmations.get(candidate.about[0], ())
    return 0.9 if confirmed else 0.0


def _alike(one: str, other: str) -> float:
    """The words two texts share, of all they have."""
    left, right = set(tokens(one)), set(tokens(other))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
