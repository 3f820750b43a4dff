"""Rated conversations in, a predicted rating out, from the customer's turns, what was done on them, and how it ended.

What the agent says is never looked at: a line of flattery would raise any model that reads it. How it ended is
the label when the model is fitted, and the chance of success by the other parts when it predicts. A wish that even
the success had to turn down leaves nobody content: that is read off the success, whose words this agent has not said.
Ratings are noisy and few, so the prediction is shrunk to their mean, and it is logged with weight 0.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.corpus import Corpus
from agent_gym.goals import Goal
from agent_gym.outcomes import rating_of
from agent_gym.reward.conversation import Conversation, look_at
from agent_gym.reward.finding import Finding
from agent_gym.reward.folds import folds_of
from agent_gym.reward.signs import COUNTED
from agent_gym.stats import spearman
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json

__all__ = ["LEAST_RATINGS", "Rated", "Satisfaction", "fit_satisfaction", "rated", "scale_of"]

LEAST_RATINGS = 50
_MOST_RATINGS = 1000  # the cost grows with their cube, and ratings are noisier than that
_WORD = 0.03
_ENDING = 10.0
_GROUPS = 3  # a word of fewer customers tells of them alone
_CHANCE = "chance of success"
_REFUSED = "the success said no"
_OF_THE_CASE = (_CHANCE, _REFUSED)
_MOST_GRADES = 11
_RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)

Vector = NDArray[np.float64]


class Rated(NamedTuple):
    """A conversation with its customer's rating."""

    talk: Conversation
    rating: float
    group: int
    success: bool | None


@dataclass(frozen=True, slots=True)
class Satisfaction:
    """A ridge regression over what was seen.

    `agreement` is the rank correlation with ratings it was not fitted to, where it is known how a conversation
    ended; `blind` is the same from the customer's turns alone.
    """

    scale: tuple[float, float]
    grades: tuple[float, ...]  # the ratings customers give, where they give only a few; else none
    usual: float  # the share that ends well
    usual_no: float  # and of these, the share in which something had to be refused
    base: float
    weights: Mapping[str, float]
    ratings: int
    agreement: float
    blind: float

    def rating(self, talk: Conversation, chance: float | None) -> float:
        refused = float(talk.reference.refuses) if talk.is_own_case else self.usual_no
        seen = _seen(talk) | {_CHANCE: self.usual if chance is None else chance, _REFUSED: refused}
        told = sum(self.weights.get(name, 0.0) * value for name, value in seen.items())
        return _given(self.base + told, self.scale, self.grades)

    def finding(self, talk: Conversation, chance: float | None) -> Finding | None:
        """`chance`: of success, as far as the other parts know; None where they cannot tell."""
        if not any(message.role == "user" for message in talk.messages):
            return None
        rating, (low, high) = self.rating(talk, chance), self.scale
        return Finding((rating - low) / (high - low), f"the customer would rate it about {rating:.1f} of {high:g}")

    def to_dict(self) -> dict[str, Json]:
        return {
            "scale": list(self.scale),
            "grades": list(self.grades),
            "usual": self.usual,
            "usual_no": self.usual_no,
            "base": self.base,
            "weights": dict(self.weights),
            "ratings": self.ratings,
            "agreement": self.agreement,
            "blind": self.blind,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        low, high = value["scale"]
        return cls(
            (low, high),
            tuple(value["grades"]),
            value["usual"],
            value["usual_no"],
            value["base"],
            dict(value["weights"]),
            value["ratings"],
            value["agreement"],
            value["blind"],
        )


def rated(corpus: Corpus, mocker: ToolMocker) -> list[Rated]:
    """The train conversations that a customer rated."""
    tools = Goal("", write_tools=mocker.write_tools, end_tools=mocker.end_tools)
    return [
        Rated(
            look_at(trace.messages, tools, trace, None),
            rating,
            corpus.groups[trace.conversation_id],
            corpus.succeeded(trace),
        )
        for trace in corpus.train
        if (rating := rating_of(trace)) is not None
    ]


def scale_of(ratings: Sequence[float]) -> tuple[float, float] | None:
    """From the lowest to the highest rating one can give, or None where two scales seem to be mixed, or one is flat."""
    if not ratings or min(ratings) == max(ratings):
        return None
    top, n = max(ratings), len(ratings)
    for high in (1.0, 5.0, 10.0, 100.0):
        below = sum(rating <= high / 5 for rating in ratings) / n
        between = sum(high / 5 < rating <= high / 2.5 for rating in ratings) / n
        # Stars among percentages: a crowd in the lowest fifth of the scale, a crowd above, and hardly any in between.
        if top <= high:
            mixed = high > 5 and below > 0.2 and between < 0.05 and below < 0.8
            fractions = high == 5 and sum(0 < r < 1 for r in ratings) > 0.1 * n
            return None if mixed or fractions else (float(min(ratings) >= 1 and high > 1), high)
    return min(ratings), top


def fit_satisfaction(known: Sequence[Rated]) -> Satisfaction | None:
    """None below 50 ratings, or where they are not on one scale."""
    known = known[:_MOST_RATINGS]
    ratings = np.array([one.rating for one in known], float)
    scale = scale_of(ratings.tolist())
    if len(known) < LEAST_RATINGS or scale is None or len({one.group for one in known}) < 2:
        return None
    endings, refusals = _endings(known), _refusals(known)
    seen = [
        _seen(one.talk) | {_CHANCE: ending, _REFUSED: refused}
        for one, ending, refused in zip(known, endings, refusals, strict=True)
    ]
    names = _common(seen, [one.group for one in known])
    matrix = np.array([[row.get(name, 0.0) for name in names] for row in seen], float)
    centre, spread = matrix.mean(0), matrix.std(0)
    spread[spread == 0] = 1.0
    weight = np.array([_trust(name) for name in names]) / spread
    scaled = (matrix - centre) * weight
    folds = np.array(folds_of([one.group for one in known], (ratings > np.median(ratings)).tolist()))
    ridge, foretold = _best_ridge(scaled, ratings, folds)
    turns_alone = scaled[:, [name not in _OF_THE_CASE for name in names]]
    grades = tuple(sorted(set(ratings.tolist())))
    grades = grades if len(grades) <= _MOST_GRADES else ()
    shrunk = _slope(foretold - ratings.mean(), ratings - ratings.mean())
    solution = shrunk * _ridge(scaled, ratings - ratings.mean(), ridge) * weight
    return Satisfaction(
        scale,
        grades,
        sum(endings) / len(endings),
        sum(refusals) / len(refusals),
        float(ratings.mean() - centre @ solution),
        {name: float(w) for name, w in zip(names, solution, strict=True)},
        len(known),
        spearman([_given(one, scale, grades) for one in foretold], ratings),
        spearman([_given(one, scale, grades) for one in _best_ridge(turns_alone, ratings, folds)[1]], ratings),
    )


def _given(rating: float, scale: tuple[float, float], grades: Sequence[float]) -> float:
    """The nearest rating that a customer could give: finer differences are below the noise."""
    return min(grades, key=lambda grade: abs(grade - rating)) if grades else min(scale[1], max(scale[0], rating))


def _trust(name: str) -> float:
    """How far the penalty lets a thing speak: the ending most; words are many, and say the same thing twice."""
    return _WORD if name.startswith("said ") else _ENDING if name in _OF_THE_CASE else 1.0


def _endings(known: Sequence[Rated]) -> list[float]:
    """How each one ended, or the share that ended well where nobody says."""
    labels = [one.success for one in known if one.success is not None]
    usual = sum(labels) / len(labels) if labels else 0.5
    return [usual if one.success is None else float(one.success) for one in known]


def _refusals(known: Sequence[Rated]) -> list[float]:
    """Whether each success had to say no; of a failure it is not known what a success would have said."""
    found = [one.talk.reference.refuses for one in known if one.success]
    usual = sum(found) / len(found) if found else 0.0
    return [float(one.talk.reference.refuses) if one.success else usual for one in known]


def _best_ridge(matrix: Vector, ratings: Vector, folds: NDArray[np.int_]) -> tuple[float, Vector]:
    """The penalty that foretells held-out ratings best, and what it foretells."""
    tries = [(ridge, _held_out(matrix, ratings, folds, ridge)) for ridge in _RIDGES]
    return min(tries, key=lambda one: float(np.mean((one[1] - ratings) ** 2)))


def _seen(talk: Conversation) -> dict[str, float]:
    """What the customer's turns hold, by name."""
    turns = talk.turns
    texts = [message.text for message in talk.messages if message.role == "user"]
    letters = [c for text in texts for c in text if c.isalpha()]
    last = turns[-1].words if turns else ()
    deeds = Counter(turn.deed for turn in turns)
    found: dict[str, float] = {
        "turns": math.log1p(len(turns)),
        "words a turn": math.log1p(sum(len(turn.words) for turn in turns) / max(1, len(turns))),
        "words of the last turn": math.log1p(len(last)),
        "questions": math.log1p(sum(text.count("?") for text in texts)),
        "exclamations": math.log1p(sum(text.count("!") for text in texts)),
        "capitals": sum(c.isupper() for c in letters) / max(1, len(letters)),
        **{f"turns with {deed}": math.log1p(n) for deed, n in deeds.items()},
        **{f"last turn: {turn.deed}": 1.0 for turn in turns[-1:]},
    }
    found |= {name: finding.raw for name, sign in COUNTED.items() if (finding := sign(talk))}
    found |= {f"said {word!r}": 1.0 for turn in turns for word in turn.words}
    return found | {f"said {word!r} at last": 1.0 for word in last}


def _common(seen: Sequence[Mapping[str, float]], groups: Sequence[int]) -> list[str]:
    holders: dict[str, set[int]] = defaultdict(set)
    for row, group in zip(seen, groups, strict=True):
        for name in row:
            holders[name].add(group)
    return sorted(name for name, held in holders.items() if len(held) >= _GROUPS)


def _held_out(matrix: Vector, ratings: Vector, folds: NDArray[np.int_], ridge: float) -> Vector:
    found = np.zeros(len(ratings))
    for fold in np.unique(folds):
        rows = folds == fold
        mean = ratings[~rows].mean()
        found[rows] = mean + matrix[rows] @ _ridge(matrix[~rows], ratings[~rows] - mean, ridge)
    return found


def _ridge(matrix: Vector, target: Vector, ridge: float) -> Vector:
    """Solved in the space of rows: there are more words than ratings."""
    inner = matrix @ matrix.T + ridge * np.eye(len(matrix))
    found: Vector = matrix.T @ np.linalg.solve(inner, target)
    return found


def _slope(stated: Vector, real: Vector) -> float:
    """How much of what is stated comes true: what a prediction is shrunk by."""
    return float(np.clip(stated @ real / (stated @ stated + 1e-12), 0.0, 1.0))
