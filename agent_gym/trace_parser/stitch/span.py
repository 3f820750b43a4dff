"""What stitching needs to know of a span, whoever logged it; and which spans are logged twice."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import orjson

from agent_gym.types import Json, Message

__all__ = ["Span", "ancestors", "canonical", "once_logged"]

Kind = Literal["llm", "tool", "agent", "other"]


class Span(NamedTuple):
    """One logged step. `start` sorts; `given` and `said` are the messages into and out of a model call, once read."""

    id: str
    kind: Kind
    name: str = ""
    parent: str | None = None
    start: str = ""
    trace: str = ""
    asked: Json = None  # what the model was given and answered, as logged
    answered: Json = None
    answer_text: str = ""  # in the place of `answered`: JSON text of a list of messages, read when it is needed
    given: Sequence[Message] = ()
    said: Sequence[Message] = ()
    digests: Sequence[bytes] = ()  # of what was given, the system prompt left out; none for a call that is the only one
    call_id: str = ""
    arguments: Json = None
    result: Json = None
    is_error: bool = False
    answer_id: str = ""  # the service's own id of the answer: chatcmpl-…, resp_…, msg_…


def canonical(message: Message) -> bytes:
    """A digest of what was said and done: ids, times, reasoning and white space do not count."""
    text = " ".join(message.content.split()) if message.content else ""
    calls = [[call.name, call.arguments] for call in message.tool_calls]
    result = message.result
    if isinstance(result, str):
        result = " ".join(result.split())
    said = [message.role, text, calls, result if message.role == "tool" else None]
    return hashlib.blake2b(
        orjson.dumps(said, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS), digest_size=12
    ).digest()


def ancestors(span: Span, by_id: Mapping[str, Span]) -> Iterable[Span]:
    """The spans around this one, the nearest first; a cycle of parents ends the walk."""
    seen = {span.id}
    parent = span.parent
    while parent is not None and parent not in seen and (around := by_id.get(parent)) is not None:
        yield around
        seen.add(parent)
        parent = around.parent


def once_logged(spans: Sequence[Span]) -> list[Span]:
    """The model calls, each once: two instrumentations often log one call, the one inside the other or side by side."""
    by_id = {span.id: span for span in spans}
    calls = [span for span in spans if span.kind == "llm" and (span.given or span.said)]
    dropped: set[str] = set()
    for span in calls:
        around = [outer for outer in ancestors(span, by_id) if outer.kind == "llm" and (outer.given or outer.said)]
        if around and not dropped & {span.id, around[0].id}:
            dropped.add(min((span, around[0]), key=lambda one: (_richness(one), one.id == span.id)).id)
    if len(calls) < 2:
        return calls
    kept: list[Span] = []
    known: set[tuple[object, ...]] = set()
    for span in calls:
        if span.id in dropped:
            continue
        signs = _signs(span)
        if span.said and known & signs:
            continue
        known |= signs
        kept.append(span)
    return kept


def _richness(span: Span) -> tuple[int, int, int]:
    """How much a log of a call says: its tool calls first, then whether it says an answer, then its history."""
    calls = sum(len(message.tool_calls) for message in (*span.given, *span.said))
    return calls, int(bool(span.said)), len(span.given)


def _signs(span: Span) -> set[tuple[object, ...]]:
    """What two logs of the same call have in common."""
    exchange = (tuple(span.digests), tuple(canonical(message) for message in span.said))
    signs: set[tuple[object, ...]] = {(span.trace, *exchange)}
    if span.answer_id:
        signs.add(("answer", span.answer_id))
    return signs
