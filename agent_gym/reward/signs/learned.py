"""Labelled conversations in, two learned signs out: how the customer reacted, and what the tools answered last."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.signs.bag import Bag, BagMaker, Bags, fit_bag
from agent_gym.reward.turns import failed, result_of
from agent_gym.text import parsed
from agent_gym.types import Json

__all__ = ["Lessons", "Signs", "Terms"]

_SHORT = 60  # characters; longer texts are no status
_DEEPEST = 4
_ZEROS = str.maketrans("123456789", "0" * 9)


@dataclass(frozen=True, slots=True)
class Signs:
    """`reactions`: the customer's words, and whether anything was done on them; `answers`: what each tool said last."""

    reactions: Bag
    answers: Bag

    @property
    def parts(self) -> dict[str, Callable[[Conversation], Finding | None]]:
        """The signs as parts of a score."""
        return {"reactions": self._reactions, "answers": self._answers}

    def _reactions(self, talk: Conversation) -> Finding | None:
        return _finding(self.reactions, reactions_in(talk), "the customer reacts as in conversations that")

    def _answers(self, talk: Conversation) -> Finding | None:
        return _finding(self.answers, answers_in(talk), "the tools answer as in conversations that")

    def to_dict(self) -> dict[str, Json]:
        return {"reactions": self.reactions.to_dict(), "answers": self.answers.to_dict()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Json]) -> Self:
        return cls(Bag.from_dict(value["reactions"]), Bag.from_dict(value["answers"]))


class Terms(NamedTuple):
    """What the two signs see of a conversation."""

    reactions: frozenset[str]
    answers: frozenset[str]

    @classmethod
    def of(cls, talk: Conversation) -> Self:
        return cls(reactions_in(talk), answers_in(talk))


class Lessons(NamedTuple):
    """The terms of labelled conversations: read once, to learn from all of them or from some."""

    reactions: Bags
    answers: Bags

    @classmethod
    def of(cls, read: Iterable[Terms]) -> Self:
        reactions, answers = BagMaker(), BagMaker()
        for terms in read:
            reactions.add(terms.reactions)
            answers.add(terms.answers)
        return cls(reactions.bags, answers.bags)

    def among(self, chosen: NDArray[np.bool_]) -> Self:
        return self._replace(reactions=self.reactions.among(chosen), answers=self.answers.among(chosen))

    def signs(self, labels: NDArray[np.bool_], groups: NDArray[np.int64]) -> Signs:
        return Signs(fit_bag(self.reactions, labels, groups), fit_bag(self.answers, labels, groups))

    def raws(self, signs: Signs) -> list[dict[str, float | None]]:
        """What the parts of the signs find in each conversation."""
        found = (self.reactions.probabilities(signs.reactions), self.answers.probabilities(signs.answers))
        return [{"reactions": one, "answers": other} for one, other in zip(*found, strict=True)]


def _finding(bag: Bag, terms: frozenset[str], what: str) -> Finding | None:
    if not terms:
        return None
    raw = bag.probability(terms)
    telling = bag.telling(terms, raw >= 0.5)
    marks = f" ({'; '.join(telling)})" if telling else ""
    return Finding(raw, f"{what} {'succeed' if raw >= 0.5 else 'fail'}{marks}", tuple(telling))


def reactions_in(talk: Conversation) -> frozenset[str]:
    turns = talk.turns
    terms = {f"said {word!r}" for turn in turns for word in turn.words}
    terms |= {f"said {word!r} in vain" for turn in turns if turn.in_vain for word in turn.words}
    for last in turns[-1:]:
        terms |= {f"at last: {last.deed}", *(f"said {word!r} at last: {last.deed}" for word in last.words)}
    return frozenset(terms)


def answers_in(talk: Conversation) -> frozenset[str]:
    """The short texts of each tool's last answer, without their numbers."""
    last = {call.name: answer for call, answer in talk.calls}
    terms = set()
    for name, answer in last.items():
        if answer is None or failed(answer):
            terms.add(f"{name} refused")
        if answer is not None:
            terms |= {f"{name} {field}" for field in _statuses(result_of(answer), "", _DEEPEST)}
    return frozenset(terms)


def _statuses(value: Json, path: str, deeper: int) -> Iterator[str]:
    value = parsed(value)
    if type(value) is str:  # most are, and to ask an abstract class of each is slow
        if len(value) <= _SHORT:
            yield f"{path}={_plain(value)}"
    elif isinstance(value, Mapping):
        for name, inner in value.items() if deeper else ():
            yield from _statuses(inner, f"{path}.{_plain(str(name))}", deeper - 1)
    elif isinstance(value, list | tuple):
        for inner in value if deeper else ():
            yield from _statuses(inner, path, deeper - 1)
    elif value is None or isinstance(value, bool) or (isinstance(value, str) and len(value) <= _SHORT):
        yield f"{path}={_plain(str(value))}"


def _plain(text: str) -> str:
    low = text.lower()
    if not low.isascii():
        return "".join("0" if c.isdigit() else c for c in low)
    return low.translate(_ZEROS)
