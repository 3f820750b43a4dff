"""The fields of a message, a call or a trace in, the frozen noun out, at a fraction of what its own constructor costs.

`__init__` of a frozen dataclass sets each field through a function call, and making the nouns is half of reading a
log. Here an open class with the same slots takes the fields, and becomes the frozen one before anybody has seen it.
Python refuses that for a class whose slots are not the same: a field that is missing here is an error, never a gap.
"""

from collections.abc import Mapping
from typing import Final, cast

from agent_gym.types import Json, Message, Role, ToolCall, Trace

__all__ = ["new_call", "new_message", "new_trace"]


class _OpenMessage:
    __slots__ = Message.__slots__

    def __init__(  # noqa: PLR0913, PLR0917  # the fields of the noun, in its order
        self,
        role: Role,
        content: str | None = None,
        tool_calls: tuple[ToolCall, ...] = (),
        name: str | None = None,
        tool_call_id: str | None = None,
        result: Json = None,
        is_error: bool = False,
        trainable: bool = False,
        final: bool = False,
    ) -> None:
        self.role = role
        self.content = content
        self.tool_calls = tool_calls
        self.name = name
        self.tool_call_id = tool_call_id
        self.result = result
        self.is_error = is_error
        self.trainable = trainable
        self.final = final
        self.__class__ = Message  # type: ignore[assignment]  # the point of this module


class _OpenCall:
    __slots__ = ToolCall.__slots__

    def __init__(self, name: str, arguments: Mapping[str, Json], id: str) -> None:  # noqa: A002  # the field's name
        self.name = name
        self.arguments = arguments
        self.id = id
        self.__class__ = ToolCall  # type: ignore[assignment]  # the point of this module


class _OpenTrace:
    __slots__ = Trace.__slots__

    def __init__(
        self,
        conversation_id: str,
        messages: tuple[Message, ...],
        outcome: str | None,
        satisfaction_score: float | None,
        tools: tuple[Mapping[str, Json], ...],
        metadata: Mapping[str, Json],
    ) -> None:
        self.conversation_id = conversation_id
        self.messages = messages
        self.outcome = outcome
        self.satisfaction_score = satisfaction_score
        self.tools = tools
        self.metadata = metadata
        self.__class__ = Trace  # type: ignore[assignment]  # the point of this module


new_message: Final = cast("type[Message]", _OpenMessage)
new_call: Final = cast("type[ToolCall]", _OpenCall)
new_trace: Final = cast("type[Trace]", _OpenTrace)
