"""How a conversation differs from a success of its case, and the chance of success that such differences leave.

A write that is missing, another argument, the same write answered otherwise, another order: each is a number from 0 (no
difference) up, and takes its share from the odds. The shares are the prior: what such differences meant in many
domains, fitted by `benchmarks.reward_prior`. The labels of a log, where there are enough, correct it (`learning`).
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import combinations
from typing import NamedTuple

import orjson

from agent_gym.goals import arguments_of
from agent_gym.goals.calls import likeness
from agent_gym.reward.conversation import Conversation
from agent_gym.reward.model import sigmoid
from agent_gym.reward.turns import failed, result_of
from agent_gym.text import canonical, same
from agent_gym.types import Json, Message, ToolCall

__all__ = ["EXPLAINED_BY", "Prior", "differences", "prior"]

# difference → the part whose sentence tells of it
EXPLAINED_BY: Mapping[str, str] = {
    "missing": "write_recall",
    "missing_doubtful": "write_recall",
    "needless": "write_precision",
    "uncalled_for": "write_precision",
    "wrong_argument": "arguments",
    "reworded": "arguments",
    "again_otherwise": "repeats",
    "again": "repeats",
    "answered_otherwise": "end_state",
    "order": "end_state",
    "facts": "facts",
    "answers": "answered",
    "look_ups": "looked_up",
}


class Prior(NamedTuple):
    """The odds of a conversation without any difference, and what each difference takes from their logarithm."""

    intercept: float
    weights: Mapping[str, float]

    def log_odds(self, found: Mapping[str, float]) -> float:
        return self.intercept - sum(weight * found[name] for name, weight in self.weights.items())

    def chance(self, odds: float) -> float:
        """What these odds leave of the chance of a conversation that differs in nothing, which is taken as 1."""
        return sigmoid(odds) / sigmoid(self.intercept)

    def losses(self, found: Mapping[str, float]) -> dict[str, float]:
        """What each difference that there is takes from the logarithm of the odds, most first."""
        taken = {name: weight * found[name] for name, weight in self.weights.items() if found[name]}
        return dict(sorted(taken.items(), key=lambda item: -item[1]))


@cache
def prior() -> Prior:
    stored = orjson.loads(resources.files("agent_gym.reward").joinpath("prior.json").read_bytes())
    return Prior(stored["intercept"], stored["weights"])


class _Made(NamedTuple):
    key: bytes
    call: ToolCall
    answer: bytes


def differences(talk: Conversation) -> dict[str, float]:
    """Every difference by name, as `EXPLAINED_BY` lists them; 0 where there is none."""
    goal = talk.goal
    required, made = list(_writes(talk, talk.reference.calls)), list(_writes(talk, talk.calls))
    missing, needless, near = _paired(talk)
    doubtful = goal.doubtful_tools
    sure = [call for call in needless if call.name not in doubtful]
    none_made = bool(missing) and len(missing) == goal.distinct_writes
    repeated = list(_repeated(required, made))
    shares = talk.shares
    return {
        "missing": float(any(call.name not in doubtful for call in missing) or none_made),
        "missing_doubtful": float(any(call.name in doubtful for call in missing)),
        "needless": math.log2(1 + len(sure)),
        "uncalled_for": float(bool(sure) and not goal.writes),
        "wrong_argument": float(any(not _is_wording(*pair) for pair in near)),
        "reworded": float(any(_is_wording(*pair) for pair in near)),
        "again_otherwise": float(any(len(set(answers)) > 1 for answers in repeated)),
        "again": float(any(len(set(answers)) == 1 for answers in repeated)),
        "answered_otherwise": float(_answered_otherwise(required, made)),
        "order": _disorder(required, made),
        "facts": 1 - (shares["facts"] if shares["facts"] is not None else 1.0),
        "answers": 1 - (shares["answered"] if shares["answered"] is not None else 1.0),
        "look_ups": _look_ups_missing(talk),
    }


def _writes(talk: Conversation, calls: Sequence[tuple[ToolCall, Message | None]]) -> Iterator[_Made]:
    for call, answer in calls:
        if call.name in talk.goal.write_tools and answer is not None and not failed(answer):
            yield _Made(talk.goal.key(call), call, canonical(result_of(answer)))


def _paired(talk: Conversation) -> tuple[list[ToolCall], list[ToolCall], list[tuple[ToolCall, ToolCall]]]:
    """Required writes never made, writes nobody asked for, and pairs of both that have something in common."""
    repeated = {id(call) for call in talk.writes.repeated}
    needless = list({talk.goal.key(c): c for c in talk.writes.needless if id(c) not in repeated}.values())
    missing, near = [], []
    for call in talk.writes.missing:
        best = max(needless, key=lambda other: likeness(call, other), default=None)
        if best is not None and likeness(call, best) > 0.0:
            needless.remove(best)
            near.append((call, best))
        else:
            missing.append(call)
    return missing, needless, near


def _is_wording(call: ToolCall, other: ToolCall) -> bool:
    """Whether two calls differ in texts of several words alone: agents word these in their own way."""
    mine, theirs = arguments_of(call), arguments_of(other)
    apart = [name for name in mine.keys() | theirs.keys() if not same(mine.get(name), theirs.get(name))]
    return all(_is_text(mine.get(name, "")) and _is_text(theirs.get(name, "")) for name in apart) and any(
        " " in f"{mine.get(name, '')}{theirs.get(name, '')}" for name in apart
    )


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _repeated(required: Sequence[_Made], made: Sequence[_Made]) -> Iterator[list[bytes]]:
    """The answers of every required write that was made more often than the success made it.

    Where they are all the same, the later ones changed nothing that shows.
    """
    allowed = Counter(one.key for one in required)
    answers: dict[bytes, list[bytes]] = {}
    for one in made:
        if one.key in allowed:
            answers.setdefault(one.key, []).append(one.answer)
    return (some for key, some in answers.items() if len(some) > allowed[key])


def _answered_otherwise(required: Sequence[_Made], made: Sequence[_Made]) -> bool:
    """Whether a write that both made, equally often, was answered differently: what it left behind differs, too."""
    theirs: dict[bytes, list[bytes]] = {}
    mine: dict[bytes, list[bytes]] = {}
    for answers, some in ((theirs, required), (mine, made)):
        for one in some:
            answers.setdefault(one.key, []).append(one.answer)
    common = [key for key in theirs if key in mine and len(theirs[key]) == len(mine[key])]
    return any(sorted(theirs[key]) != sorted(mine[key]) for key in common)


def _disorder(required: Sequence[_Made], made: Sequence[_Made]) -> float:
    """The share of pairs of common writes that were made the other way round."""
    place = {key: at for at, key in enumerate(dict.fromkeys(one.key for one in made))}
    common = [key for key in dict.fromkeys(one.key for one in required) if key in place]
    pairs = math.comb(len(common), 2)
    return sum(place[a] > place[b] for a, b in combinations(common, 2)) / pairs if pairs else 0.0


def _look_ups_missing(talk: Conversation) -> float:
    wanted = {talk.goal.key(call) for call in talk.goal.reads}
    made = {talk.goal.key(call) for call in talk.deeds.reads}
    return len(wanted - made) / len(wanted) if wanted else 0.0
