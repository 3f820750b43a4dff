"""A trace's beginning in, the same beginning lived through out: messages said, calls run, writes applied."""

from collections.abc import Sequence
from dataclasses import replace

from agent_gym.errors import OptionError
from agent_gym.tool_mocker import ToolSession
from agent_gym.types import Message, ToolAnswer, ToolCall, Trace

__all__ = ["opened_at", "prefix_of", "replayed"]


def opened_at(messages: Sequence[Message]) -> int:
    """The place of the customer's first words; 0 where there are none."""
    return next((at for at, message in enumerate(messages) if message.role == "user"), 0)


def prefix_of(trace: Trace, turns: int) -> tuple[Message, ...]:
    """The messages from the customer's first words to just before assistant message number `turns`."""
    start = opened_at(trace.messages)
    spoken = trace.messages[start:]
    places = [at for at, message in enumerate(spoken) if message.role == "assistant"]
    if not 0 <= turns <= len(places):
        raise OptionError("from_turn", turns, (f"0 to {len(places)}, the assistant messages recorded",))
    if turns == 0:
        return ()
    end = places[turns] if turns < len(places) else len(spoken)
    return spoken[:end]


def replayed(
    prefix: Sequence[Message], session: ToolSession
) -> tuple[tuple[Message, ...], tuple[tuple[ToolCall, ToolAnswer], ...]]:
    """The prefix as this session answers it, marked not trainable, with every answer's provenance."""
    answers: list[tuple[ToolCall, ToolAnswer]] = []
    for message in prefix:
        answers.extend((call, session.call(call.name, call.arguments)) for call in message.tool_calls)
    return tuple(replace(message, trainable=False) for message in prefix), tuple(answers)
