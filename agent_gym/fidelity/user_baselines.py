"""A recorded conversation in, the three customers that every simulated one must beat out.

Each says a turn of the record: any, the next in order, or the one whose question is most like what was heard.
They leave where the record ends.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Self

from agent_gym.text import TextIndex
from agent_gym.types import Message, MessageLike, Trace, WorldView
from agent_gym.user_simulator.talk import Talk

__all__ = ["BASELINES", "RecordedTurns"]

Choose = Callable[["RecordedTurns", Talk], int]  # what was heard in, the place of the turn to say out


class RecordedTurns:
    """A `User` that says one of the recorded turns; `choose` says which."""

    def __init__(self, trace: Trace, choose: Choose) -> None:
        self._trace = trace
        self._choose = choose
        talk = Talk.of(trace.messages)
        self.conversation_id = trace.conversation_id
        self.said = [turn.said for turn in talk.turns[1:]]
        heard = [turn.heard for turn in talk.turns[1:]]
        if talk.agent_moved and talk.heard:  # left without a word
            self.said.append("")
            heard.append(talk.heard)
        self.heard = TextIndex(heard)

    def open(self) -> Message:
        return Message("user", Talk.of(self._trace.messages).turns[0].said)

    def reply(self, messages: Sequence[MessageLike], world: WorldView | None = None) -> Message | None:  # noqa: ARG002  a recording looks at nothing
        if not self.said:
            return None
        at = self._choose(self, Talk.of(Message.of(message) for message in messages))
        last = at == len(self.said) - 1
        return Message("user", self.said[at], final=last) if self.said[at] else None

    def fork(self) -> Self:
        return type(self)(self._trace, self._choose)


def _any(turns: RecordedTurns, talk: Talk) -> int:
    dice = Random(f"{turns.conversation_id} {len(talk.turns)} {talk.heard}")  # noqa: S311  play, not secrecy
    return dice.randrange(len(turns.said))


def _next(turns: RecordedTurns, talk: Talk) -> int:
    return min(len(talk.turns) - 1, len(turns.said) - 1)


def _nearest(turns: RecordedTurns, talk: Talk) -> int:
    found = turns.heard.nearest(talk.heard)
    return found[0][0] if found else 0


BASELINES: dict[str, Choose] = {"random turn": _any, "replay by index": _next, "nearest turn (TF-IDF)": _nearest}
