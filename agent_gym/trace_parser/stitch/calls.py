"""Spans with model calls as they were logged in, the same with messages out: history that is repeated is read once.

Most loggers write the whole history with every call. Where the text of one call's history begins that of a later call,
and what was answered stands in the later one, the earlier call says nothing more: it is not read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import orjson

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.stitch.span import Span, canonical
from agent_gym.types import Json

__all__ = ["read_calls"]

_HISTORIES: Final = ("messages", "contents", "input", "prompt")


def read_calls(spans: Sequence[Span], notes: Notes) -> list[Span]:
    """The spans with `given` and `said` read; a call that a later one repeats has neither."""
    calls = sorted((span for span in spans if span.kind == "llm"), key=lambda span: span.start)
    repeated = _repeated(calls)
    read: dict[str, Span] = {}
    histories: dict[str, set[bytes]] = {}
    for span in reversed(calls):
        within = histories.get(repeated.get(span.id, ""))
        if within is not None:
            said = said_messages(span.answered, Notes())
            if said and all(canonical(message) in within for message in said):
                histories[span.id] = within
                continue
        given = tuple(given_messages(span.asked, notes))
        digests = tuple([canonical(message) for message in given if message.role != "system"])
        histories[span.id] = set(digests)
        said_last = tuple(said_messages(span.answered, notes))
        read[span.id] = replace(span, given=given, said=said_last, digests=digests)
    return [read.get(span.id, span) for span in spans]


def _repeated(calls: Sequence[Span]) -> dict[str, str]:
    """Call → the next call of its trace whose history begins with its own, under the same system prompt."""
    found: dict[str, str] = {}
    last: dict[str, tuple[str, bytes, Json]] = {}
    for span in reversed(calls):
        text, beside = _history(span.asked)
        later = last.get(span.trace)
        if later is not None and len(text) > 2 and later[1].startswith(text[:-1]) and later[2] == beside:
            found[span.id] = later[0]
        last[span.trace] = (span.id, text, beside)
    return found


def _history(asked: Json) -> tuple[bytes, Json]:
    """The history as text, which ends with the bracket that closes the list; and what stands beside it."""
    beside: Json = None
    if isinstance(asked, dict):
        key = next((key for key in _HISTORIES if isinstance(asked.get(key), list | str)), "")
        beside = {name: value for name, value in asked.items() if name != key}
        asked = asked.get(key)
    if isinstance(asked, str):
        return (asked.strip().encode("utf-8", "replace") if asked.lstrip().startswith("[") else b""), beside
    return (orjson.dumps(asked, option=orjson.OPT_NON_STR_KEYS) if isinstance(asked, list) else b""), beside
