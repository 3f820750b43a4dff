"""Messages in, turns out: what the agent said to the customer and what the customer said to it.

Recorded conversations are mined, and live ones followed, through the same eyes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent_gym.types import Message

__all__ = ["Listener", "Talk", "Turn"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of the customer: what it heard since its last words (maybe nothing), and its words."""

    heard: str
    said: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as the customer lives it; `heard` is what it has not answered yet."""

    turns: tuple[Turn, ...]
    heard: str
    agent_moved: bool  # the agent has said or done something since the customer's last words

    @classmethod
    def of(cls, messages: Iterable[Message]) -> "Talk":
        """Customer messages that nothing of the agent separates are one turn; empty ones are none.

        Words that came with tool calls were not meant for the customer: they count only where the agent
        said nothing else, as in logs that keep a reply and a call in one message.
        """
        return Listener().follow(tuple(messages))


class Listener:
    """Follows one conversation: of messages that go on from the last ones, it hears only what is new."""

    __slots__ = ("_aside", "_moved", "_seen", "_spoken", "_turns")

    def __init__(self) -> None:
        self._seen: tuple[Message, ...] = ()
        self._turns: list[Turn] = []
        self._spoken: list[str] = []
        self._aside: list[str] = []
        self._moved = False

    def follow(self, messages: Sequence[Message]) -> Talk:
        known = len(self._seen)
        if tuple(messages[:known]) != self._seen:
            return Listener().follow(messages)
        for message in messages[known:]:
            self._hear(message)
        self._seen = tuple(messages)
        return Talk(tuple(self._turns), self._heard, self._moved)

    def _hear(self, message: Message) -> None:
        words = message.text.strip()
        if message.role in ("assistant", "tool"):
            self._moved = True
            if message.role == "assistant" and words:
                (self._aside if message.tool_calls else self._spoken).append(words)
        elif message.role == "user" and words:
            if self._turns and not self._moved:
                before = self._turns[-1]
                self._turns[-1] = Turn(before.heard, f"{before.said}\n{words}")
            else:
                self._turns.append(Turn(self._heard, words))
            self._spoken, self._aside, self._moved = [], [], False

    @property
    def _heard(self) -> str:
        return "\n".join(self._spoken or self._aside)
