"""Messages whose tool results may be missing, and the other spans, in; the messages with the results filled in, out."""

from collections.abc import Mapping, Sequence

import orjson

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.stitch.span import Span
from agent_gym.types import Json, Message, ToolCall

__all__ = ["with_results"]


def with_results(messages: Sequence[Message], spans: Sequence[Span], notes: Notes) -> list[Message]:
    """Some loggers keep what a tool answered only in the tool's own span: by call id, else by name and arguments."""
    answered = {message.tool_call_id for message in messages if message.role == "tool" and message.tool_call_id}
    named = [message.name for message in messages if message.role == "tool" and not message.tool_call_id]
    left = [
        span for span in sorted(spans, key=lambda span: span.start) if span.kind == "tool" or span.result is not None
    ]
    filled: list[Message] = []
    waiting: list[Message] = []
    for at, message in enumerate(messages):
        if message.role != "tool" and waiting:
            filled += waiting
            waiting = []
        filled.append(message)
        if not message.tool_calls or message.role != "assistant":
            continue
        follow = _row_of_results(messages, at)
        for call in message.tool_calls:
            if call.id in answered or _answered_in_row(call, message.tool_calls, follow) or call.name in named:
                continue
            span = _of_call(call, left)
            if span is None:
                continue
            left.remove(span)
            waiting.append(Message("tool", None, (), call.name, call.id or None, span.result, span.is_error))
    if waiting:
        notes.warn("results were taken from the tools' own spans", waiting[0].name)
    return filled + waiting


def _row_of_results(messages: Sequence[Message], at: int) -> list[Message]:
    row: list[Message] = []
    for message in messages[at + 1 :]:
        if message.role != "tool":
            break
        row.append(message)
    return row


def _answered_in_row(call: ToolCall, calls: Sequence[ToolCall], row: Sequence[Message]) -> bool:
    """Without ids, as many results as calls answer them all."""
    return not call.id and len(row) >= len(calls)


def _of_call(call: ToolCall, spans: Sequence[Span]) -> Span | None:
    if call.id:
        for span in spans:
            if span.call_id == call.id:
                return span
    same_name = [span for span in spans if not span.call_id and _is_named(span, call.name)]
    arguments = _text(call.arguments)
    return next(
        (span for span in same_name if _text(_arguments(span)) == arguments), same_name[0] if same_name else None
    )


def _is_named(span: Span, name: str) -> bool:
    """`execute_tool get_order` is a span of the tool get_order."""
    return span.name == name or (span.kind == "tool" and span.name.split(" ")[-1] == name)


def _arguments(span: Span) -> Json:
    arguments = span.arguments
    if isinstance(arguments, Mapping) and len(arguments) == 1:
        inner = next(iter(arguments.values()))
        if next(iter(arguments)) in ("input", "args", "arguments", "kwargs") and isinstance(inner, dict):
            return inner
    return arguments


def _text(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS, default=str)
