"""Messages of a row that went through Arrow in, the same with the nulls it filled into arguments taken out."""

from collections.abc import Sequence
from dataclasses import replace

from agent_gym.trace_parser.dialects import Notes
from agent_gym.types import Message

__all__ = ["without_filled_nulls"]


def without_filled_nulls(messages: Sequence[Message], notes: Notes) -> list[Message]:
    """Arrow gives the arguments of every call the keys of all the others, as nulls: calls of different tools then
    have the same keys, and each has nulls. Nothing else is taken for that."""
    calls = [call for message in messages for call in message.tool_calls]
    keys = {frozenset(call.arguments) for call in calls}
    if (
        len({call.name for call in calls}) < 2
        or len(keys) != 1
        or any(None not in call.arguments.values() for call in calls)
    ):
        return list(messages)
    notes.warn("arguments that Arrow filled up with nulls were mended")
    return [
        replace(
            message,
            tool_calls=tuple(
                replace(call, arguments={k: v for k, v in call.arguments.items() if v is not None})
                for call in message.tool_calls
            ),
        )
        if message.tool_calls
        else message
        for message in messages
    ]
