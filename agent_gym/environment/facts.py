"""What an environment asks of all its conversations at once: mined from them, or read from where it was kept."""

from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

from agent_gym.corpus import Corpus
from agent_gym.environment.scenario import has_customer
from agent_gym.goals import Goals
from agent_gym.keeping import Codec, Keeper, Kept, found_in
from agent_gym.user_simulator import Crowd, mine_crowd

__all__ = ["FACT_TYPES", "Facts", "KeptFacts", "MinedFacts", "keep_facts"]

FACT_TYPES: tuple[type, ...] = (Crowd,)
_PLAYABLE, _CROWD, _CALLS = "scenarios", "crowd", "calls"


class Facts(Protocol):
    @property
    def playable(self) -> Mapping[str, bool]:
        """conversation that a customer opened → whether it has a goal to play for"""
        ...

    @property
    def crowd(self) -> Crowd: ...

    @property
    def calls(self) -> int:
        """How many calls the agents made."""
        ...


class MinedFacts:
    """Each is worked out when it is first asked for."""

    def __init__(self, corpus: Corpus, goals: Goals) -> None:
        self._corpus, self._goals = corpus, goals

    @cached_property
    def playable(self) -> Mapping[str, bool]:
        return {t.conversation_id: self._goals.has_one(t) for t in self._corpus if has_customer(t)}

    @cached_property
    def crowd(self) -> Crowd:
        return mine_crowd(self._corpus)

    @cached_property
    def calls(self) -> int:
        return sum(len(message.tool_calls) for trace in self._corpus for message in trace.messages)


def keep_facts(facts: Facts, keeper: Keeper) -> None:
    keeper.section(_PLAYABLE, dict(facts.playable))
    keeper.section(_CALLS, facts.calls)
    keeper.section(_CROWD, Codec(FACT_TYPES).encode(facts.crowd))


class KeptFacts:
    """Each is read when it is first asked for."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    @cached_property
    def playable(self) -> Mapping[str, bool]:
        return found_in(self._kept, _PLAYABLE, dict)

    @cached_property
    def crowd(self) -> Crowd:
        return found_in(self._kept, _CROWD, Crowd, Codec(FACT_TYPES))

    @cached_property
    def calls(self) -> int:
        return found_in(self._kept, _CALLS, int)
