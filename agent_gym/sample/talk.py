"""What passes between a customer and an agent: words, and what a good listener takes from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from agent_gym.sample.backend import Answer
from agent_gym.types import Json, ToolCall

__all__ = ["Act", "Calls", "Feedback", "Leaving", "Move", "Said", "Say"]

Act = Literal["greet", "ask", "confirm", "inform", "refuse", "handover", "bye"]
Leaving = Literal["content", "gave_up", "rushed"]


@dataclass(frozen=True, slots=True)
class Said:
    """A customer's message. `told` is about the person, `details` about requests, by their index;
    `lacks` is what they were asked for and cannot give."""

    text: str
    told: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[int, Mapping[str, Json]] = field(default_factory=dict)
    raised: tuple[int, ...] = ()
    answer: bool | None = None
    lacks: frozenset[str] = frozenset()
    argues: bool = False
    wants_human: bool = False
    leaving: Leaving | None = None


@dataclass(frozen=True, slots=True)
class Say:
    """An agent's message: its act, what it asks for or proposes, and the requests it settles."""

    text: str
    act: Act
    slots: tuple[str, ...] = ()
    wish: int | None = None
    proposal: Mapping[str, Json] = field(default_factory=dict)
    settled: tuple[int, ...] = ()
    refused: tuple[int, ...] = ()
    news: Mapping[int, Mapping[str, Json]] = field(default_factory=dict)  # what was done, by request
    restarted: tuple[int, ...] = ()  # requests settled by a restart: the customer sees whether it helped
    more: bool = False  # the agent goes on with another request of its own accord
    untrue: bool = False  # claims something as done that was not done


@dataclass(frozen=True, slots=True)
class Calls:
    """An agent's tool calls of one turn, perhaps with a word to go with them."""

    calls: tuple[ToolCall, ...]
    text: str | None = None


Move = Say | Calls
Feedback = Said | list[Answer]
