"""Spans with model calls as they were logged in, the same with messages out: history that is repeated is read once.

Most loggers write the whole history with every call. Where the text of one call's history begins that of a later call,
and what was answered stands in the later one, the earlier call says nothing more: it is not read.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import orjson

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.stitch.span import Span, canonical
from agent_gym.types import Json, Message

__all__ = ["read_calls"]

_HISTORIES: Final = ("messages", "contents", "input", "prompt")


def read_calls(spans: Sequence[Span], notes: Notes) -> list[Span]:
    """The spans with `given` and `said` read; a call that a later one repeats has neither."""
    calls = sorted((span for span in spans if span.kind == "llm"), key=lambda span: span.start)
    repeated = _repeated(calls)
    read: dict[str, Span] = {}
    histories: dict[str, _History] = {}
    for span in reversed(calls):
        later = repeated.get(span.id)
        within = histories.get(later.id) if later is not None else None
        if later is not None and within is not None and (later.tells_answer or within.holds(span)):
            histories[span.id] = within
            continue
        given = tuple(given_messages(span.asked, notes))
        histories[span.id] = _History(given)
        read[span.id] = span._replace(given=given, said=tuple(_said(span, notes)))
    if len(read) > 1:  # a call alone is compared with nothing
        read = {name: span._replace(digests=histories[name].digests) for name, span in read.items()}
    return [read.get(span.id, span) for span in spans]


class _History:
    """What a model was given, the system prompt left out, by digests that are made when they are asked for."""

    def __init__(self, given: Sequence[Message]) -> None:
        self._given = given

    @cached_property
    def digests(self) -> tuple[bytes, ...]:
        return tuple([canonical(message) for message in self._given if message.role != "system"])

    def holds(self, span: Span) -> bool:
        """Whether what the span's model said stands here."""
        said = _said(span, Notes())
        return bool(said) and all(canonical(message) in self.digests for message in said)


def _said(span: Span, notes: Notes) -> list[Message]:
    parsed = json_in(span.answer_text) if span.answer_text else span.answered
    return said_messages(span.answer_text if parsed is None else parsed, notes)


class _Later(NamedTuple):
    """A call whose history begins with that of an earlier one, and whether, to the letter, its answer follows."""

    id: str
    tells_answer: bool


def _repeated(calls: Sequence[Span]) -> dict[str, _Later]:
    """Call → the next call of its trace whose history begins with its own, under the same system prompt."""
    found: dict[str, _Later] = {}
    last: dict[str, tuple[str, str, Json]] = {}
    for span in reversed(calls):
        text, beside = _history(span.asked)
        later = last.get(span.trace)
        if later is not None and len(text) > 2 and later[1].startswith(text[:-1]) and later[2] == beside:
            found[span.id] = _Later(later[0], _follows(span.answer_text, later[1], len(text) - 1))
        last[span.trace] = (span.id, text, beside)
    return found


def _follows(answer: str, history: str, at: int) -> bool:
    """Whether the messages of the answer, a JSON list of them, stand in the history there."""
    if answer[:1] != "[" or history[at : at + 1] != ",":
        return False
    return history.startswith(answer[1:-1], at + 2 if history[at + 1 : at + 2] == " " else at + 1)


def _history(asked: Json) -> tuple[str, Json]:
    """The history as text, which ends with the bracket that closes the list; and what stands beside it."""
    beside: Json = None
    if isinstance(asked, dict):
        key = next((key for key in _HISTORIES if isinstance(asked.get(key), list | str)), "")
        beside = {name: value for name, value in asked.items() if name != key}
        asked = asked.get(key)
    if isinstance(asked, str):
        return (text if (text := asked.strip())[:1] == "[" else ""), beside
    return (orjson.dumps(asked, option=orjson.OPT_NON_STR_KEYS).decode() if isinstance(asked, list) else ""), beside
