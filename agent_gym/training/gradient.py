"""Policy gradient: episodes played so far in, a better direction for the weights out.

Each scenario has a group of episodes with one customer. An episode that scored more than its group makes its choices
likelier, one that scored less makes them less likely; what all of them scored teaches nothing. Earlier episodes are
still of use: each counts as much oftener or more rarely as the present policy would play it, twice at most.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agent_gym.training.forest import Forest, Node, Vector

_TINY = 1e-12
_OFTENER = float(np.log(2.0))

__all__ = ["Adam", "Batch", "Path", "follow", "sampled", "walked"]


@dataclass(frozen=True, slots=True)
class Path:
    """An episode as the places it passed and what was chosen at each."""

    nodes: tuple[Node, ...]
    choices: tuple[int, ...]
    end: Node
    chance: float  # the logarithm of how likely it was, when it was played

    @property
    def reward(self) -> float:
        return float(self.end.score or 0.0)

    @property
    def success(self) -> bool:
        return self.end.score is not None and self.end.score.success


def sampled(forest: Forest, conversation_id: str, weights: Vector, heat: float, rng: np.random.Generator) -> Path:
    """An episode in which every candidate has a chance; the more `heat`, the more even the chances."""
    node, nodes, choices, chance = forest.root(conversation_id), [], [], 0.0
    while not node.over:
        points = node.features @ weights / heat
        likely = np.exp(points - points.max())
        likely /= likely.sum()
        choice = min(int(np.searchsorted(likely.cumsum(), rng.random())), len(likely) - 1)
        nodes.append(node)
        choices.append(choice)
        chance += float(np.log(likely[choice] + _TINY))
        node = forest.step(node, choice)
    return Path(tuple(nodes), tuple(choices), node, chance)


def walked(forest: Forest, conversation_id: str, choices: Sequence[int], chance: float) -> Path:
    """The episode of these choices."""
    node, nodes = forest.root(conversation_id), []
    for choice in choices:
        nodes.append(node)
        node = forest.step(node, choice)
    return Path(tuple(nodes), tuple(choices), node, chance)


def follow(forest: Forest, conversation_id: str, weights: Vector, seed: int = 0) -> Node:
    """The end of the episode in which the best candidate is always chosen."""
    node = forest.root(conversation_id, seed)
    while not node.over:
        node = forest.step(node, int(np.argmax(node.features @ weights)))
    return node


class Batch:
    """The episodes of many groups, as arrays: one row a candidate of a turn of an episode."""

    def __init__(self, groups: Sequence[Sequence[Path]]) -> None:
        paths = [path for group in groups for path in group]
        turns = [(node, choice) for path in paths for node, choice in zip(path.nodes, path.choices, strict=True)]
        self.turns = len(turns)
        sizes = np.array([len(node.moves) for node, _ in turns])
        self._features = np.concatenate([node.features for node, _ in turns])
        self._starts = np.concatenate([[0], sizes.cumsum()[:-1]])
        self._turn = np.repeat(np.arange(len(turns)), sizes)
        self._chosen = self._starts + np.array([choice for _, choice in turns])
        lengths = np.array([len(path.choices) for path in paths])
        self._first = np.concatenate([[0], lengths.cumsum()[:-1]])
        self._path = np.repeat(np.arange(len(paths)), lengths)
        counts = np.array([len(group) for group in groups])
        self._group_first = np.concatenate([[0], counts.cumsum()[:-1]])
        self._group = np.repeat(np.arange(len(groups)), counts)
        self._rewards = np.array([path.reward for path in paths])
        self._chances = np.array([path.chance for path in paths])

    def slope(self, weights: Vector, heat: float) -> Vector:
        """Which way to move the weights so that better episodes become likelier within their groups."""
        points = (self._features @ weights.astype(np.float32)).astype(np.float64) / heat
        points -= np.maximum.reduceat(points, self._starts)[self._turn]
        likely = np.exp(points)
        likely /= np.add.reduceat(likely, self._starts)[self._turn]
        logs = np.add.reduceat(np.log(likely[self._chosen] + _TINY), self._first)
        counts = np.exp(np.minimum(logs - self._chances, _OFTENER))
        total = np.add.reduceat(counts, self._group_first)
        usual = (np.add.reduceat(counts * self._rewards, self._group_first) / total)[self._group]
        gain = (counts * (self._rewards - usual))[self._path]
        pull: NDArray[np.float64] = -likely * gain[self._turn]
        pull[self._chosen] += gain
        return np.asarray(pull.astype(np.float32) @ self._features, np.float64) / heat / len(self._rewards)


@dataclass(frozen=True, slots=True)
class Adam:
    """The optimiser's memory; `after` gives the weights and the memory of the next step."""

    mean: Vector
    square: Vector
    steps: int = 0

    @classmethod
    def fresh(cls, size: int) -> "Adam":
        return cls(np.zeros(size), np.zeros(size))

    def after(self, weights: Vector, direction: Vector, rate: float) -> tuple[Vector, "Adam"]:
        steps = self.steps + 1
        mean, square = 0.9 * self.mean + 0.1 * direction, 0.99 * self.square + 0.01 * direction**2
        step = (mean / (1 - 0.9**steps)) / (np.sqrt(square / (1 - 0.99**steps)) + 1e-8)
        return weights + rate * step, Adam(mean, square, steps)
