"""Episodes as trees: a scenario in, its conversations out, each turn of them worked out once.

A customer of a seed and the tools answer the same words the same way, and what could be done next does not depend on
the policy that chooses. So an episode that goes where another has been costs nothing: the policy alone is asked again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from agent_gym.agent import EmbeddedAgent
from agent_gym.environment import Environment, Episode
from agent_gym.training.form import Form, Vector
from agent_gym.types import Message, Score

__all__ = ["Forest", "Node"]


@dataclass(slots=True)
class Node:
    """A conversation as it stands before the agent's next turn, or at its end."""

    episode: Episode
    moves: tuple[Message, ...] = ()
    features: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    marks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    purposes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # one a move
    children: dict[int, "Node"] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.episode.over

    @property
    def score(self) -> Score | None:
        return self.episode.score

    @property
    def reward(self) -> float:
        return float(self.score or 0.0)

    @property
    def at_a_loss(self) -> bool:
        """Whether the customer was asked what the record does not tell of them."""
        return bool(getattr(self.episode.user, "at_a_loss", False))

    @property
    def off_support(self) -> bool:
        return any(answer.off_support for _, answer in self.episode.answers)


class Forest:
    """The trees of all scenarios played so far; `turns` were asked for, `grown` of them worked out."""

    def __init__(self, environment: Environment, agent: EmbeddedAgent, form: Form, max_turns: int) -> None:
        self._environment, self._agent, self._max_turns, self.form = environment, agent, max_turns, form
        self._roots: dict[tuple[str, int], Node] = {}
        self._hidden = _families(environment)
        self.turns = self.grown = 0

    def points(self, node: Node, weights: Vector) -> Vector:
        """What each move is worth to these weights."""
        return self.form.points(weights, node.features, node.marks, node.purposes)

    def root(self, conversation_id: str, seed: int = 0) -> Node:
        """The conversation at its start; the agent does not see how the record of it went on."""
        key = (conversation_id, seed)
        if key not in self._roots:
            episode = self._environment.episode(conversation_id, seed=seed, max_turns=self._max_turns)
            self._roots[key] = self._node(episode)
        return self._roots[key]

    def step(self, node: Node, choice: int) -> Node:
        """Where the chosen move leads."""
        self.turns += 1
        if choice not in node.children:
            episode = node.episode.fork()
            episode.step(node.moves[choice])
            node.children[choice] = self._node(episode)
        return node.children[choice]

    def reached(self, conversation_id: str, road: Sequence[int]) -> Node:
        """Where these choices lead."""
        node = self.root(conversation_id)
        for choice in road:
            node = self.step(node, choice)
        return node

    def hidden(self, conversation_id: str) -> frozenset[str]:
        """The conversations that would give a case away: all of its customer, and those much like it."""
        return self._hidden.get(conversation_id, frozenset())

    def rows(self, features: Sequence[Mapping[str, float]]) -> NDArray[np.float32]:
        """Features by name as rows of numbers."""
        rows = np.zeros((len(features), len(self.form.features)), np.float32)
        for row, named in zip(rows, features, strict=True):
            for name, value in named.items():
                row[self.form.columns[name]] = value
        return rows

    def _node(self, episode: Episode) -> Node:
        if episode.over:
            return Node(episode)
        self.grown += 1
        hidden = self.hidden(episode.scenario.conversation_id)
        candidates = self._agent.candidates(episode.messages, episode.tools, hidden)
        rows = self.rows([candidate.features for candidate in candidates])
        marks = np.array([self.form.marks[mark] for mark in candidates[0].marks], np.int64)
        purposes = np.array([self.form.purposes.get(candidate.purpose, -1) for candidate in candidates], np.int64)
        return Node(episode, tuple(candidate.message for candidate in candidates), rows, marks, purposes)


def _families(environment: Environment) -> Mapping[str, frozenset[str]]:
    groups: dict[int, list[str]] = {}
    for conversation_id, group in environment.corpus.groups.items():
        groups.setdefault(group, []).append(conversation_id)
    return {name: frozenset(names) for names in groups.values() for name in names}
