"""Labelled conversations in, two learned signs out: how the customer reacted, and what the tools answered last."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from agent_gym.reward.conversation import Conversation
from agent_gym.reward.finding import Finding
from agent_gym.reward.signs.bag import Bag, Bags, fit_bag
from agent_gym.reward.turns import failed, result_of
from agent_gym.text import parsed
from agent_gym.types import Json

__all__ = ["Lessons", "Signs"]

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


class Lessons(NamedTuple):
    """Labelled conversations as the signs see them: read once, to learn from all of them or from some."""

    reactions: Bags
    answers: Bags
    labels: NDArray[np.bool_]
    groups: NDArray[np.int64]

    @classmethod
    def of(cls, talks: Sequence[Conversation], labels: Sequence[bool], groups: Sequence[int]) -> Self:
        return cls(
            Bags.of(map(reactions_in, talks)),
            Bags.of(map(answers_in, talks)),
            np.array(labels, bool),
            np.array(groups, np.int64),
        )

    def among(self, chosen: NDArray[np.bool_]) -> Self:
        bags = self.reactions.among(chosen), self.answers.among(chosen)
        return self._make((*bags, self.labels[chosen], self.groups[chosen]))

    @property
    def signs(self) -> Signs:
        """What they teach."""
        return Signs(*(fit_bag(bags, self.labels, self.groups) for bags in (self.reactions, self.answers)))


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
