"""Whether a customer is about to go: recorded turns in, the chance that new words are the last out."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from agent_gym.agent.embedded.foresight import Foresight, Row
from agent_gym.agent.embedded.manner import asks_for_yes, offers_more
from agent_gym.agent.embedded.points import Point
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.talk import State

__all__ = ["Parting"]

_LEAVES = "leaves"
_LONG = 12  # words


class Parting:
    """Learned from the last words of recorded customers, and from those that were not the last."""

    def __init__(self, ends: Sequence[Point]) -> None:
        """`ends` are the last points of their conversations."""
        self._foresight = Foresight(
            [
                Row(end.conversation_id, marks, (_LEAVES,) if last else ())
                for end in ends
                for marks, last in _turns(end)
            ],
            several=True,
            words=True,
        )

    def chance(self, state: State, hidden: Collection[str] = ()) -> float:
        """How likely the customer's words just said are their last; 0 for the first. `hidden` were not learned from."""
        if len(state.turns) < 2 or state.event != "user":
            return 0.0
        return self._foresight.chances(tuple(_marks(state.words, state.asked)), hidden).get(_LEAVES, 0.0)


def _turns(end: Point) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The customer's turns after the first, and whether each was the last and asked for nothing more."""
    talk = end.state.talk
    places = [at for at, message in enumerate(talk.messages) if message.role == "user"]
    acted = max((made.at for made in talk.calls), default=-1)
    for at in places[1:]:
        asked = next((m.text for m in reversed(talk.messages[:at]) if m.role == "assistant" and m.text), "")
        yield tuple(_marks(talk.messages[at].text, asked)), at == places[-1] and at > acted


def _marks(text: str, asked: str) -> Iterator[str]:
    words = [word[:5] for word in tokens(text) if word.isalpha()]
    yield from dict.fromkeys(words)
    yield from dict.fromkeys(f"{one} {other}" for one, other in pairwise(words))
    yield "asked more" if offers_more(asked) else "asked yes" if asks_for_yes(asked) else "asked"
    yield "long" if len(words) > _LONG else "short"
    if "?" in text:
        yield "asks"
    if any(char.isdigit() for char in text):
        yield "number"
