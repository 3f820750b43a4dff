"""Policy gradient: moments and what came of each way to go on from them in, a better direction for the weights out.

A group are the moves that were tried at one moment of a conversation, each played on to its end by the policy. A move
that led to more than its group does on average becomes likelier, one that led to less becomes less likely; where all
led to the same there is nothing to learn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from agent_gym.agent.embedded.choose import share
from agent_gym.training.forest import Forest, Node
from agent_gym.training.form import Form, Vector

_SHRINK = 3.0  # groups' worth of doubt about every weight
_DOUBT = 3.0  # and about every lesson
_LEAST = -50.0  # worth behind the best, from which on less makes no difference

__all__ = ["Batch", "Group", "follow", "tried"]


@dataclass(frozen=True, slots=True)
class Group:
    """A moment, the choices that led there, the moves tried from there, and what each led to."""

    node: Node
    road: tuple[int, ...]
    moves: tuple[int, ...]
    rewards: tuple[float, ...]

    @property
    def telling(self) -> bool:
        return len(set(self.rewards)) > 1


def tried(
    forest: Forest, conversation_id: str, weights: Vector, heat: float, least: float
) -> tuple[list[Group], list[Node]]:
    """At each turn of the episode as the policy plays it: the moves with a fair chance; and the ends of all episodes,
    the policy's own first.

    The more `heat`, the more even the chances; a move less likely than `least` is not tried.
    """
    node = forest.root(conversation_id)
    road: tuple[int, ...] = ()
    moments: list[tuple[Node, tuple[int, ...], list[int]]] = []
    while not node.over:
        points = forest.points(node, weights)
        likely = np.exp((points - points.max()) / heat)
        best = int(np.argmax(points))
        fair = np.flatnonzero(likely >= least * likely.sum()).tolist()
        if len({best, *fair}) > 1:
            moments.append((node, road, sorted({best, *fair})))
        node, road = forest.step(node, best), (*road, best)
    groups, ends = [], [node]
    for moment, way, moves in moments:
        reached = [_followed(forest, forest.step(moment, move), weights) for move in moves]
        ends += reached
        # An end that rests on answers nobody knows, a tool's or the customer's, teaches nothing.
        known = [
            (move, end) for move, end in zip(moves, reached, strict=True) if not end.off_support and not end.at_a_loss
        ]
        if len(known) > 1:
            groups.append(Group(moment, way, *zip(*((move, end.reward) for move, end in known), strict=True)))
    return groups, ends


def follow(forest: Forest, conversation_id: str, weights: Vector, seed: int = 0) -> Node:
    """The end of the episode in which the best candidate is always chosen."""
    return _followed(forest, forest.root(conversation_id, seed), weights)


def _followed(forest: Forest, node: Node, weights: Vector) -> Node:
    while not node.over:
        node = forest.step(node, int(np.argmax(forest.points(node, weights))))
    return node


class Batch:
    """Many groups as arrays: one row for every move that was possible, tried or not."""

    def __init__(self, form: Form, groups: Sequence[Group]) -> None:
        self._form, self._size = form, len(groups)
        sizes = [len(group.node.moves) for group in groups]
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._group = np.repeat(np.arange(len(groups)), sizes)
        self._features = np.concatenate([group.node.features for group in groups]).astype(np.float64)
        self._purposes = np.concatenate([group.node.purposes for group in groups])
        tried_at = np.concatenate([n + np.array(g.moves) for n, g in zip(self._starts, groups, strict=True)])
        self._tried = np.zeros(len(self._group), bool)
        self._tried[tried_at] = True
        # Of what was not tried it is assumed that it leads no further than the worst that was.
        self._rewards = np.repeat([min(group.rewards) for group in groups], sizes)
        self._rewards[tried_at] = np.concatenate([group.rewards for group in groups])
        self._marks = _marks(form, [group.node.marks for group in groups])

    def direction(self, weights: Vector, heat: float) -> Vector:
        """Which way to move the weights, and how far a unit of worth is (the natural gradient).

        The slope is measured against how much each weight changes the choices, those not tried among them. What few
        groups say is shrunk: with as many weights, some of them go together with the rewards by chance.
        """
        likely = self._likely(weights, heat)
        pull = self._pull(likely) / heat
        curve = self._curve(likely) / heat**2 + _SHRINK * np.eye(self._features.shape[1])
        told = np.linalg.solve(curve, pull @ self._features)
        spread = self._spread(likely) / heat**2 + _DOUBT
        taught = self._marks.T @ self._by_purpose(pull) / spread
        return np.concatenate([told, np.asarray(taught).ravel()])

    def reward(self, weights: Vector, heat: float) -> float:
        """What the groups lead to on average, if the policy chooses among their moves."""
        return float(self._likely(weights, heat) @ self._rewards) / self._size

    def _pull(self, likely: Vector) -> Vector:
        """How the mean reward grows with the worth of each move: by how much it beats its group, among those tried."""
        tried = likely * self._tried
        usual = np.add.reduceat(tried * self._rewards, self._starts) / np.add.reduceat(tried, self._starts)
        return np.asarray(tried * (self._rewards - usual[self._group]))

    def _likely(self, weights: Vector, heat: float) -> Vector:
        """How likely each move is chosen among its group."""
        taught = np.asarray(self._marks @ self._form.lessons(weights))
        taught = np.concatenate([taught, np.zeros((self._size, 1))], axis=1)[self._group, self._purposes]
        points = (self._features @ weights[: self._features.shape[1]] + taught) / heat
        points -= np.maximum.reduceat(points, self._starts)[self._group]
        likely = np.exp(np.maximum(points, _LEAST))
        return np.asarray(likely / np.add.reduceat(likely, self._starts)[self._group])

    def _curve(self, likely: Vector) -> Vector:
        """How much the choices change with the weights, pair by pair: the spread of their features."""
        means = np.add.reduceat(self._features * likely[:, None], self._starts)
        return np.asarray((self._features * likely[:, None]).T @ self._features - means.T @ means)

    def _spread(self, likely: Vector) -> Vector:
        """How much the choices change with each lesson."""
        chances = self._by_purpose(likely)
        return np.asarray(self._marks.power(2).T @ (chances * (1 - chances)))

    def _by_purpose(self, rows: Vector) -> Vector:
        """Numbers of moves, summed by group and purpose; what serves no known purpose is left out."""
        size = len(self._form.purposes) + 1
        sums = np.bincount(self._group * size + self._purposes % size, rows, minlength=self._size * size)
        return np.asarray(sums, np.float64).reshape(self._size, size)[:, :-1]


def _marks(form: Form, rows: Sequence[NDArray[np.int64]]) -> csr_matrix:
    """One row a moment: how much each mark counts in it."""
    ends = np.cumsum([0, *map(len, rows)])
    shares = np.concatenate([np.full(len(row), share(len(row))) for row in rows])
    return csr_matrix((shares, np.concatenate(rows), ends), shape=(len(rows), len(form.marks)))
