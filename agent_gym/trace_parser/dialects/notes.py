"""What a dialect meets beside messages: warnings, tool definitions, and what it could not read."""

from collections.abc import Mapping
from typing import NamedTuple

from agent_gym.types import Json

__all__ = ["Notes", "Warned"]

_KEPT = 200  # messages set aside per conversation; a log of nothing else would fill the memory with copies


class Warned(NamedTuple):
    """Something about a conversation that its owner should know: the cause in fixed words, and what was found."""

    cause: str
    found: str = ""


class Notes:
    """The notes taken while one conversation is read."""

    __slots__ = ("other_messages", "tools", "warnings")

    def __init__(self) -> None:
        self.warnings: list[Warned] = []
        self.other_messages: list[Json] = []
        self.tools: list[Mapping[str, Json]] = []

    def warn(self, cause: str, found: object = "") -> None:
        self.warnings.append(Warned(cause, str(found)[:200]))

    def set_aside(self, message: Json, cause: str) -> None:
        self.warn(cause, message)
        if len(self.other_messages) < _KEPT:
            self.other_messages.append(message)
