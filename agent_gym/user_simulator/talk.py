"""Messages in, turns out: what the agent said to the customer and what the customer said to it.

Recorded conversations are mined, and live ones followed, through the same eyes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from agent_gym.types import Message

__all__ = ["Talk", "Turn"]


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
        turns: list[Turn] = []
        spoken, aside, moved = [""], [""], False
        for message in messages:
            if message.role in ("assistant", "tool"):
                moved = True
                if message.role == "assistant":
                    (aside if message.tool_calls else spoken).append(message.text.strip())
            elif message.role == "user" and (words := message.text.strip()):
                if turns and not moved:
                    turns[-1] = Turn(turns[-1].heard, f"{turns[-1].said}\n{words}")
                else:
                    turns.append(Turn(_joined(spoken) or _joined(aside), words))
                spoken, aside, moved = [""], [""], False
        return cls(tuple(turns), _joined(spoken) or _joined(aside), moved)


def _joined(texts: list[str]) -> str:
    return "\n".join(text for text in texts if text)
