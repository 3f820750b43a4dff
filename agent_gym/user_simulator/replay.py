"""The replay customer: the recorded turns in their order, whatever the agent says."""

from collections.abc import Sequence
from copy import copy
from typing import Self

from rapidfuzz import fuzz

from agent_gym.types import Message, MessageLike, Trace, WorldView
from agent_gym.user_simulator.mining import recorded_talk
from agent_gym.user_simulator.talk import Listener

__all__ = ["ReplayCustomer"]

_ON_PATH = 60  # of 100, by words in any order: a paraphrase of the recorded turn stays above


class ReplayCustomer:
    """A `User` that says what was said. `off_path` tells that the agent did not: replies may not fit."""

    def __init__(self, trace: Trace) -> None:
        self._talk = recorded_talk(trace)
        self._live = Listener()
        self.off_path = False

    def open(self) -> Message:
        return self._turn(0)

    def reply(self, messages: Sequence[MessageLike], world: WorldView | None = None) -> Message | None:  # noqa: ARG002  a recording looks at nothing
        live = self._live.follow([Message.of(m) for m in messages])
        at, turns = len(live.turns), self._talk.turns
        recorded = turns[at].heard if at < len(turns) else self._talk.heard
        same = live.heard == recorded
        self.off_path = self.off_path or (not same and fuzz.token_set_ratio(live.heard, recorded) < _ON_PATH)
        return self._turn(at) if at < len(turns) else None

    def fork(self) -> Self:
        twin = copy(self)
        twin._live = Listener()
        return twin

    def _turn(self, at: int) -> Message:
        last = at == len(self._talk.turns) - 1
        return Message("user", self._talk.turns[at].said, final=last and not self._talk.agent_moved)
