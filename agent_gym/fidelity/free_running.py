"""Rollouts and real conversations in, how alike their customers behave and sound out.

The simulated customers have gone their own way here, so no turn has a right answer: the two sides are compared as
crowds. `told_apart` asks the sharpest question: can a classifier tell a simulated turn from a real one?
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from agent_gym.stats import auc, wasserstein
from agent_gym.text import tokens
from agent_gym.types import Message
from agent_gym.user_simulator.talk import Talk

__all__ = ["Manner", "compare_manners", "copied", "customer_turns", "told_apart"]

_SHORT = 5  # words
_FEATURES = 1 << 12
_PENALTY = 1.0


@dataclass(frozen=True, slots=True)
class Manner:
    """Real and simulated customers side by side; the distances are Wasserstein's, in turns and in words."""

    turns: tuple[float, float]  # a conversation, real and simulated
    turns_distance: float
    words: tuple[float, float]  # a turn
    words_distance: float
    short: tuple[float, float]  # the share of turns of at most five words


def customer_turns(messages: Iterable[Message]) -> list[str]:
    """What a customer said, turn by turn."""
    return [turn.said for turn in Talk.of(messages).turns]


def compare_manners(real: Sequence[Sequence[str]], simulated: Sequence[Sequence[str]]) -> Manner:
    """Each conversation as the list of its customer's turns."""
    turns = [np.array([len(conversation) for conversation in side]) for side in (real, simulated)]
    words = [
        np.array([len(tokens(text)) for conversation in side for text in conversation]) for side in (real, simulated)
    ]
    return Manner(
        turns=(float(turns[0].mean()), float(turns[1].mean())),
        turns_distance=wasserstein(*turns),
        words=(float(words[0].mean()), float(words[1].mean())),
        words_distance=wasserstein(*words),
        short=(float((words[0] <= _SHORT).mean()), float((words[1] <= _SHORT).mean())),
    )


def copied(simulated: Iterable[Sequence[str]], recorded: Iterable[Sequence[str]]) -> float:
    """The share of turns after the opener that the customer's own record holds word for word."""
    pairs = [(text, set(said)) for turns, said in zip(simulated, recorded, strict=True) for text in turns[1:]]
    return sum(text in said for text, said in pairs) / max(1, len(pairs))


def told_apart(real: Sequence[Sequence[str]], simulated: Sequence[Sequence[str]], folds: int = 5) -> float:
    """The AUC of a classifier on turns of customers it has not seen: 0.5 is chance, 1.0 tells them all apart.

    Conversations at the same place in the two lists are of one customer, and openers, which are always the
    recorded ones, are left out.
    """
    texts: list[str] = []
    labels: list[float] = []
    fold: list[int] = []
    for side, conversations in enumerate((real, simulated)):
        for customer, turns in enumerate(conversations):
            texts += turns[1:]
            labels += [float(side)] * len(turns[1:])
            fold += [customer % folds] * len(turns[1:])
    rows, label, group = _hashed(texts), np.array(labels), np.array(fold)
    scores = np.zeros(len(label))
    for held in range(folds):
        weights = _fitted(rows[group != held], label[group != held])
        scores[group == held] = rows[group == held] @ weights
    return auc(label == 1, scores)


def _hashed(texts: Sequence[str]) -> NDArray[np.float64]:
    """Words and word pairs, and how long the text is, as rows of one length."""
    rows = np.zeros((len(texts), _FEATURES + 2))
    for row, text in zip(rows, texts, strict=True):
        words = tokens(text)
        for term in (*words, *(f"{a} {b}" for a, b in pairwise(words))):
            row[zlib.crc32(term.encode()) % _FEATURES] = 1.0
        row[:_FEATURES] /= np.sqrt(row[:_FEATURES].sum() or 1.0)
        row[-2:] = np.log1p(len(words)), 1.0
    return rows


def _fitted(rows: NDArray[np.float64], label: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression with a ridge."""
    sign = 2 * label - 1

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margin = sign * (rows @ weights)
        pull = -sign / (1 + np.exp(np.clip(margin, -30, 30)))
        return float(
            np.logaddexp(0, -margin).sum() + _PENALTY * weights @ weights / 2
        ), rows.T @ pull + _PENALTY * weights

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(found.x)
