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
_SHRINK = 20.0  # episodes' worth of doubt about every weight
_OFTENER = float(np.log(2.0))

__all__ = ["Batch", "Path", "follow", "sampled", "walked"]


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
        self._features = np.concatenate([node.features for node, _ in turns]).astype(np.float64)
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

    def direction(self, weights: Vector, heat: float) -> Vector:
        """Which way to move the weights, and how far a unit of worth is (the natural gradient).

        The slope is measured against how much each weight changes the choices. What few episodes say is shrunk: with
        as many weights, some of them go together with the rewards by chance.
        """
        likely = self._likely(weights, heat)
        counts = self._counts(likely)
        curve = self._curve(likely, counts[self._path]) / heat**2 + _SHRINK / len(counts) * np.eye(len(weights))
        return np.asarray(np.linalg.solve(curve, self.slope(weights, heat)))

    def slope(self, weights: Vector, heat: float) -> Vector:
        """How the mean reward grows with each weight: a choice counts by how much its episode beat the group."""
        likely = self._likely(weights, heat)
        counts = self._counts(likely)
        total = np.add.reduceat(counts, self._group_first)
        usual = (np.add.reduceat(counts * self._rewards, self._group_first) / total)[self._group]
        gain = (counts * (self._rewards - usual))[self._path]
        pull: NDArray[np.float64] = -likely * gain[self._turn]
        pull[self._chosen] += gain
        return np.asarray(pull @ self._features) / heat / len(counts)

    def _likely(self, weights: Vector, heat: float) -> Vector:
        """How likely each candidate is chosen at its turn."""
        points = self._features @ weights / heat
        points -= np.maximum.reduceat(points, self._starts)[self._turn]
        likely = np.exp(points)
        return np.asarray(likely / np.add.reduceat(likely, self._starts)[self._turn])

    def _counts(self, likely: Vector) -> Vector:
        """How much each episode counts: as much oftener or more rarely as it would be played now."""
        logs = np.add.reduceat(np.log(likely[self._chosen] + _TINY), self._first)
        return np.asarray(np.exp(np.minimum(logs - self._chances, _OFTENER)))

    def _curve(self, likely: Vector, counts: Vector) -> Vector:
        """How much the choices of an episode change with the weights, pair by pair: the spread of their features."""
        means = np.add.reduceat(self._features * likely[:, None], self._starts)
        squares = (self._features * (likely * counts[self._turn])[:, None]).T @ self._features
        return np.asarray(squares - (means * counts[:, None]).T @ means) / len(self._rewards)
