"""One reply made ready to be judged: what was said, what should have been said, and what was said before."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from agent_gym.goals import values_of
from agent_gym.reward.likeness import in_order, overlap
from agent_gym.reward.said import Said, said
from agent_gym.types import Message, MessageLike

__all__ = ["Reply", "context_messages", "reply_of"]


@dataclass(frozen=True)  # without slots: what several parts ask for is worked out once, and kept
class Reply:
    """`reference` is None where there is nothing to compare with; `exact` where it is the very answer wanted."""

    response: Said
    reference: Said | None
    exact: bool
    context: tuple[Said, ...]
    known: frozenset[str]  # Value.norm of all that the context holds, tool results included

    @cached_property
    def overlap(self) -> float:
        """How many of its words are the reference's, and the other way round."""
        return overlap(self.response.bag, self.reference.bag) if self.reference else 0.0

    @cached_property
    def order(self) -> float:
        """How much of both is the same words in the same order."""
        return in_order(self.response.words, self.reference.words) if self.reference else 0.0


def context_messages(context: Sequence[MessageLike] | str | None) -> list[Message]:
    if context is None:
        return []
    if isinstance(context, str):
        return [Message("user", context)]
    return [Message.of(message, "user") for message in context]


def reply_of(response: str, reference: str | None, exact: bool, context: Sequence[Message]) -> Reply:
    earlier = tuple(said(message.text) for message in context if message.text)
    known = {norm for text in earlier for norm in text.norms}
    for message in context:
        if message.role == "tool":
            known |= values_of(message.result)
    return Reply(said(response), None if reference is None else said(reference), exact, earlier, frozenset(known))
