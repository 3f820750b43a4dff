"""An environment in, its cases as OpenEnv's tasks out: by split and place, and the next one to play."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Self, get_args

from agent_gym.corpus import Split
from agent_gym.environment import Environment
from agent_gym.errors import AgentGymError, OptionError
from agent_gym.types import Json

__all__ = ["SPLITS", "Tasks"]

SPLITS: tuple[Split, ...] = get_args(Split)


@dataclass(frozen=True, slots=True)
class Tasks:
    """Shared by all sessions of a server. Only cases that can be scored are tasks."""

    gym: Environment
    ids: Mapping[Split, tuple[str, ...]]
    _turns: Iterator[int] = field(default_factory=count)  # whose turn it is, where nobody says

    @classmethod
    def of(cls, gym: Environment) -> Self:
        ids = {split: tuple(s.conversation_id for s in gym.scenarios(split) if s.scorable) for split in SPLITS}
        if not any(ids.values()):
            raise AgentGymError("no conversation has a goal to play for: there is nothing to serve")
        return cls(gym, ids)

    def of_split(self, split: str) -> tuple[str, ...]:
        for known, ids in self.ids.items():
            if known == split:
                return ids
        raise OptionError("split", split, SPLITS)

    def drawn(self, split: str, seed: int | None) -> tuple[str, int]:
        """The case a seed falls on, with the seed; without one, the cases take turns."""
        ids = self.of_split(split)
        if not ids:
            raise AgentGymError(f"the {split} split holds no case that can be scored")
        place = next(self._turns) if seed is None else seed
        return ids[(self.gym.seed + place) % len(ids)], place

    def task(self, split: str, index: int) -> dict[str, Json]:
        """What a client may know of a case before it plays it: `reset(**task)` plays it."""
        return {"split": split, "index": index, "conversation_id": self.of_split(split)[index]}
