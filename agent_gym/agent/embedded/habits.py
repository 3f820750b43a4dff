"""Which word or switch goes with which words: recorded choices in, the usual choice for new words out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent_gym.agent.embedded.leaves import is_specific
from agent_gym.agent.embedded.reading import values_in
from agent_gym.agent.embedded.talk import State
from agent_gym.text import TextIndex, canonical
from agent_gym.types import Json

__all__ = ["Choice", "Habit"]

_KEPT = 256  # texts of which the nearest are remembered
_NEAR = 9  # like choices that have a say
_ENOUGH = 5  # conversations in which a code turns up from nowhere: then it is the tool's word, not one customer's


@dataclass(frozen=True, slots=True)
class Choice:
    """A value an agent gave; `from_nowhere` if nobody in the conversation had named it."""

    conversation_id: str
    state: State
    value: Json
    from_nowhere: bool


class Habit:
    """The choices recorded for one argument, by the words they were made on."""

    def __init__(self, choices: Sequence[Choice]) -> None:
        choices = [choice for choice in choices if not _tells_of_a_case(choice.value)]
        keys = [canonical(choice.value).decode("utf-8", "replace") for choice in choices]
        named: dict[str, set[str]] = defaultdict(set)
        for key, choice in zip(keys, choices, strict=True):
            if choice.from_nowhere or not _names_a_thing(choice.value):
                named[key].add(choice.conversation_id)
        allowed = {
            key
            for key, choice in zip(keys, choices, strict=True)
            if isinstance(choice.value, bool) or len(named[key]) >= (_ENOUGH if _names_a_thing(choice.value) else 2)
        }
        self._choices = [choice for key, choice in zip(keys, choices, strict=True) if key in allowed]
        self._keys = [key for key in keys if key in allowed]
        self._share = len(self._choices) / max(1, len(choices))
        index = TextIndex(_text(choice.state) for choice in self._choices)
        self._nearest = lru_cache(maxsize=_KEPT)(lambda text: index.nearest(text, _NEAR + 4))

    def usual(self, state: State, hidden: frozenset[str] = frozenset()) -> tuple[Json, float] | None:
        """The value most like choices have, and its share among them. `hidden` conversations have no say."""
        votes: dict[str, float] = defaultdict(float)
        values: dict[str, Json] = {}
        for number, likeness in self._nearest(_text(state))[: _NEAR + 4 * bool(hidden)]:
            choice = self._choices[number]
            if choice.conversation_id not in hidden:
                votes[self._keys[number]] += likeness**2
                values[self._keys[number]] = choice.value
        if not votes:
            return None
        best = max(sorted(votes), key=lambda key: votes[key])
        return values[best], votes[best] / sum(votes.values()) * self._share


def _names_a_thing(value: Json) -> bool:
    """Numbers too: an amount or a count is not a word of the tool unless it comes up again and again."""
    items = value if isinstance(value, list) else [value]
    return any(is_specific(item) or (isinstance(item, int | float) and not isinstance(item, bool)) for item in items)


def _tells_of_a_case(value: Json) -> bool:
    """Whether this is a sentence with values of its own conversation in it, or a day, an address, a number to call."""
    if not isinstance(value, str) or not is_specific(value):
        return False
    return " " in value.strip() or any(found.kind not in ("id", "number") for found in values_in(value))


def _text(state: State) -> str:
    return f"{state.words} {state.asked} {state.story}"
