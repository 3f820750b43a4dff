"""A recorded success in, what conversations are held against out: worked out once, for many are held against one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from agent_gym.goals import cut_off
from agent_gym.reward.customers import Marks, customer_marks
from agent_gym.reward.language import refusing
from agent_gym.reward.sentences import Sentence, sentences
from agent_gym.reward.sums import worked_out_in
from agent_gym.reward.support import Record
from agent_gym.text import kept_values
from agent_gym.types import Message, ToolCall, Trace, paired_calls

__all__ = ["Success", "last_turns", "left_waiting", "spoken_in"]


@dataclass(frozen=True)  # without slots: what is asked of it is kept
class Success:
    trace: Trace

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.trace.messages

    @cached_property
    def calls(self) -> Sequence[tuple[ToolCall, Message | None]]:
        """What was called, each with its answer."""
        return paired_calls(self.messages)

    @cached_property
    def replies(self) -> list[str]:
        """What the agent said to the customer."""
        return spoken_in(self.messages)

    @cached_property
    def refuses(self) -> bool:
        """Whether it had to say no to something."""
        return any(refusing().search(text.lower().replace("’", "'")) for text in self.replies)

    @cached_property
    def marks(self) -> Marks:
        """What its customer says of themselves."""
        return customer_marks(self.messages)

    @cached_property
    def breaks_off(self) -> bool:
        return cut_off(self.messages)

    @cached_property
    def left_waiting(self) -> bool:
        return left_waiting(self.messages)

    @cached_property
    def record(self) -> Record:
        return Record(self.messages)

    @cached_property
    def worked_out(self) -> frozenset[int]:
        """The sums it told a customer who had asked how much, in hundredths."""
        return worked_out_in(self.messages, self.replies)

    @cached_property
    def norms(self) -> frozenset[str]:
        """Value.norm of everything that anybody said."""
        return frozenset(value.norm for message in self.messages for value in kept_values(message.text))

    @cached_property
    def sentences(self) -> list[Sentence]:
        """All that anybody said."""
        return [sentence for message in self.messages for sentence in sentences(message.text)]


def spoken_in(messages: Sequence[Message]) -> list[str]:
    return [m.content for m in messages if m.role == "assistant" and m.content and not m.content.isspace()]


def left_waiting(messages: Sequence[Message]) -> bool:
    """Whether the customer has the last word, and spoke it while the agent was still at its tools."""
    return [message.role for message in last_turns(messages)] == ["tool", "user"]


def last_turns(messages: Sequence[Message]) -> list[Message]:
    """The last two messages, instructions apart."""
    return list(islice((message for message in reversed(messages) if message.role != "system"), 2))[::-1]
