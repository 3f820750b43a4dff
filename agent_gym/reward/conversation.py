"""A conversation made ready to be judged: its messages, what was done in them, and the goal to hold it against."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent_gym.goals import Deeds, Goal, Matched, arguments_of
from agent_gym.reward.customs import Customs
from agent_gym.reward.success import Success, spoken_in
from agent_gym.reward.turns import Turn, turns_in
from agent_gym.types import Message, ToolCall, Trace, WorldView, paired_calls

__all__ = ["Conversation", "look_at", "spoken"]


@dataclass(frozen=True)  # without slots: what several parts ask for is worked out once, and kept
class Conversation:
    """What every part looks at. `reference` is the success the goal was taken from, `customs` are those of all."""

    messages: tuple[Message, ...]
    deeds: Deeds
    goal: Goal
    reference: Success
    customs: Customs | None = None

    @property
    def is_own_case(self) -> bool:
        """What another customer needed says little about what this one needed: no success is read off it."""
        return self.goal.goal_source != "other_case"

    @cached_property
    def replies(self) -> list[str]:
        """What the agent said to the customer."""
        return spoken_in(self.messages)

    @cached_property
    def calls(self) -> Sequence[tuple[ToolCall, Message | None]]:
        """What was called, each with its answer."""
        return paired_calls(self.messages)

    @cached_property
    def turns(self) -> Sequence[Turn]:
        """What the customer said, turn by turn, and what was done on it."""
        return turns_in(self.messages, self.calls, self.goal)

    @cached_property
    def writes(self) -> Matched:
        """The writes made beside the writes required."""
        return self.goal.matched(self.deeds)

    @cached_property
    def shares(self) -> Mapping[str, float | None]:
        """How much of each requirement is there."""
        return self.goal.shares(self.deeds, self.writes)


def look_at(
    messages: Sequence[Message],
    goal: Goal,
    reference: Success | Trace,
    world: WorldView | None,
    customs: Customs | None = None,
) -> Conversation:
    success = Success(reference) if isinstance(reference, Trace) else reference
    return Conversation(tuple(messages), goal.deeds(world, messages), goal, success, customs)


def spoken(call: ToolCall) -> str:
    """A call as a person reads it."""
    given = ", ".join(f"{name}={value!r}" for name, value in arguments_of(call).items())
    return f"{call.name}({given if len(given) <= 120 else given[:117] + '…'})"
