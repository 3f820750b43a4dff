"""A message that could come next, with what speaks for and against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from agent_gym.agent.embedded.sayings import OTHER
from agent_gym.types import Message

__all__ = ["Candidate", "say"]

Kind = Literal["call", "ask", "confirm", "reply", "plain"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """`evidence` are the conversations it rests on, `about` the tool it is a step to and the argument it asks for."""

    kind: Kind
    message: Message
    features: Mapping[str, float]
    evidence: tuple[str, ...] = ()
    about: tuple[str, str] = ("", "")
    purpose: str = OTHER
    marks: tuple[str, ...] = ()  # of the state, the same for all its candidates


def say(text: str) -> Message:
    return Message("assistant", text)
