"""A trace in, the same trace out with every string and number seen by a visitor, who may put another in its place.

Both passes of redaction walk this way, so what is replaced is what was looked at. Tool names, roles and outcomes stay.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from agent_gym.text import parsed
from agent_gym.trace_parser.redact.fields import MaybeName, field_kind
from agent_gym.trace_parser.redact.kinds import Kind
from agent_gym.types import Json, Message, ToolCall, Trace

__all__ = ["Beside", "Leaf", "Visit", "tool_names", "walked", "walked_trace"]


Beside: TypeAlias = Sequence[tuple[Kind | MaybeName, Json]]


class Leaf(NamedTuple):
    """A string or number. `keys`: the way to it inside a JSON value, empty for a text of its own."""

    value: Json
    keys: tuple[str, ...] = ()
    where: str = ""  # the tool whose arguments or result it is of
    beside: Beside = ()  # the fields of its record that hold something personal: kind and value


Visit = Callable[[Leaf], Json]


def walked_trace(trace: Trace, visit: Visit) -> Trace:
    def text(value: str) -> str:
        return str(visit(Leaf(value)))

    return replace(
        trace,
        conversation_id=text(trace.conversation_id),
        messages=tuple(_message(message, visit) for message in trace.messages),
        tools=tuple(_described(tool, visit) for tool in trace.tools),
        metadata=walked(trace.metadata, visit, "metadata"),
    )


def tool_names(trace: Trace) -> Iterator[str]:
    """The names that stay, of tools called and of tools described."""
    for message in trace.messages:
        yield from (call.name for call in message.tool_calls)
    for tool in trace.tools:
        described = tool.get("function", tool)
        if isinstance(described, Mapping) and isinstance(described.get("name"), str):
            yield described["name"]


def _described(value: Json, visit: Visit) -> Json:
    """A tool's description: its examples may be personal, its fields say nothing of anybody, its name stays."""
    if isinstance(value, Mapping):
        return {
            str(visit(Leaf(key))): item if key == "name" and isinstance(item, str) else _described(item, visit)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_described(item, visit) for item in value]
    return visit(Leaf(value)) if isinstance(value, str) else value


def _message(message: Message, visit: Visit) -> Message:
    content = message.content
    inner = parsed(content)
    if isinstance(inner, str):
        content = str(visit(Leaf(inner)))
    elif content is not None:
        content = _json_text(content, inner, walked(inner, visit, message.name or ""))
    if message.role == "tool":
        called_by, name = message.tool_call_id, message.name
        return Message(
            "tool", content, message.tool_calls, name,
            tool_call_id=str(visit(Leaf(called_by))) if called_by else called_by,
            result=walked(message.result, visit, name or ""),
            is_error=message.is_error, trainable=message.trainable, final=message.final,
        )  # fmt: skip
    return Message(
        message.role, content,
        name=str(visit(Leaf(message.name, ("speaker_name",)))) if message.name else message.name,
        tool_calls=tuple(_call(call, visit) for call in message.tool_calls),
        tool_call_id=message.tool_call_id, result=message.result,
        is_error=message.is_error, trainable=message.trainable, final=message.final,
    )  # fmt: skip


def _call(call: ToolCall, visit: Visit) -> ToolCall:
    call_id = str(visit(Leaf(call.id))) if call.id else call.id
    return ToolCall(call.name, walked(call.arguments, visit, call.name), call_id)


def walked(value: Json, visit: Visit, where: str, keys: tuple[str, ...] = (), beside: Beside = ()) -> Json:
    """The JSON value with its leaves and keys visited; JSON kept as text is opened and closed again."""
    if isinstance(value, str):
        inner = parsed(value)
        if isinstance(inner, str):
            return visit(Leaf(value, keys, where, beside))
        return _json_text(value, inner, walked(inner, visit, where, keys, beside))
    if isinstance(value, dict | Mapping):
        fields = [(key, (*keys, key), item) for key, item in value.items()]
        held = [(kind, item) for _, path, item in fields if (kind := field_kind(path, item))]
        return {str(visit(Leaf(key))): walked(item, visit, where, path, held) for key, path, item in fields}
    if isinstance(value, list | tuple):
        return [walked(item, visit, where, keys, beside) for item in value]
    if value is None or isinstance(value, bool):
        return value
    return visit(Leaf(value, keys, where, beside))


def _json_text(old: str, before: Json, after: Json) -> str:
    """`after` as text, written the way `old` writes `before`."""
    if before == after:
        return old
    for separators in ((", ", ": "), (",", ":")):
        for ascii_only in (True, False):
            if json.dumps(before, separators=separators, ensure_ascii=ascii_only) == old:
                return json.dumps(after, separators=separators, ensure_ascii=ascii_only)
    return json.dumps(after, ensure_ascii=False)
