"""What a customer will need, and what an agent does next: recorded points in, chances for a new state out."""

from collections.abc import Collection, Mapping, Sequence

from agent_gym.agent.embedded.foresight import Foresight, Row
from agent_gym.agent.embedded.points import Point, answer_marks, mood_of
from agent_gym.agent.embedded.reading import tokens
from agent_gym.agent.embedded.talk import State

__all__ = ["Moves", "Wishes"]

_LONG = 4  # words; a shorter turn is an answer and no wish


class Wishes:
    """How likely each tool is still to be called, by the customer's words alone."""

    def __init__(self, ends: Sequence[Point]) -> None:
        """`ends` are the last points of their conversations."""
        self._foresight = Foresight(
            [
                Row(end.conversation_id, _words(end.state, at), _called_after(end, at))
                for end in ends
                for at, _ in end.state.turns
            ],
            several=True,
        )

    def wanted(self, state: State, hidden: Collection[str] = ()) -> Mapping[str, float]:
        return self._foresight.chances(_words(state, state.at), hidden)


class Moves:
    """How likely each kind of move is next: to call a tool, to ask for something, to tell, to end."""

    def __init__(self, points: Sequence[Point], purposes: Sequence[Sequence[str]]) -> None:
        """`purposes` says of each point what its move was for."""
        self._foresight = Foresight(
            [
                Row(point.conversation_id, _marks(point.state), tuple(purpose))
                for point, purpose in zip(points, purposes, strict=True)
            ]
        )

    def expected(self, state: State, hidden: Collection[str] = ()) -> Mapping[str, float]:
        return self._foresight.chances(_marks(state), hidden)

    @property
    def marks(self) -> Sequence[str]:
        return self._foresight.marks

    @property
    def purposes(self) -> Sequence[str]:
        return self._foresight.labels

    def known_marks(self, state: State) -> tuple[str, ...]:
        """Where the conversation stands, in marks the record has too."""
        return self._foresight.known(_marks(state))


def _called_after(end: Point, at: int) -> tuple[str, ...]:
    later = {made.call.name for made in end.state.calls if made.at > at}
    return tuple(sorted(later | {call.name for call in end.calls}))


def _words(state: State, until: int) -> tuple[str, ...]:
    """The beginnings of all words said, and once more those of the last turn that is more than an answer."""
    turns = [text for at, text in state.turns if at <= until]
    said = dict.fromkeys(stem for text in turns for stem in _stems(text))
    wish = next((text for text in reversed(turns) if len(tokens(text)) > _LONG), "")
    return (*said, *(f"now {stem}" for stem in dict.fromkeys(_stems(wish))))


def _marks(state: State) -> tuple[str, ...]:
    """Where the conversation stands, in marks that are there or not."""
    event = state.event
    return (
        f"event {event}",
        f"mood {mood_of(state)}",
        f"turns {min(len(state.turns), 5)}",
        *(f"done {tool}" for tool in sorted(state.tools_done)),
        *(f"{event} after {tool}" for tool in sorted(state.tools_done)),
        *(f"refused {made.call.name}" for made in state.calls if made.failed),
        *(f"known {kind}" for kind in sorted({said.value.kind for said in state.said})),
        *(f"answer {mark}" for mark in answer_marks(state)),
        *(f"asked {stem}" for stem in dict.fromkeys(_stems(state.asked))),
        *_words(state, state.at),
    )


def _stems(text: str) -> list[str]:
    return [word[:5] for word in tokens(text) if word.isalpha() and len(word) > 2]
