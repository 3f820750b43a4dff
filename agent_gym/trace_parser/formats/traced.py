"""The spans of one group in, drafts out: what all span formats share once their records are spans."""

from collections.abc import Iterator, Mapping, Sequence

from agent_gym.trace_parser.decode import json_in
from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.formats.format import Draft, draft_of
from agent_gym.trace_parser.stitch import Span, read_calls, stitched
from agent_gym.types import Json, Message

__all__ = ["drafts_of", "from_json", "text_of"]


def drafts_of(
    spans: Sequence[Span],
    notes: Notes,
    conversation_id: str | None,
    *,
    opening: Sequence[Message] = (),
    closing: Sequence[Message] = (),
    outcome: str | None = None,
    satisfaction_score: float | None = None,
    metadata: Mapping[str, Json] | None = None,
) -> Iterator[Draft]:
    """The main conversation and those nested in it. Without a model call that holds anything, `opening` and
    `closing`, what the trace itself was asked and answered, are the conversation."""
    threads = stitched(read_calls(spans, notes), notes, opening)
    if not threads:
        if opening and closing:
            messages = [*opening, *closing]
            yield draft_of(
                messages,
                notes,
                conversation_id,
                outcome=outcome,
                satisfaction_score=satisfaction_score,
                metadata=metadata,
            )
        return
    for number, thread in enumerate(threads):
        kept = dict(metadata or {})
        if thread.compactions:
            kept["compactions"] = thread.compactions
        if thread.alternatives:
            kept["alternatives"] = thread.alternatives
        if number == 0:
            yield draft_of(
                thread.all_messages(), notes, conversation_id,
                outcome=outcome, satisfaction_score=satisfaction_score, metadata=kept,
            )  # fmt: skip
            continue
        links = {"parent_conversation_id": conversation_id, "parent_tool_call_id": thread.parent_call or None}
        kept |= {key: value for key, value in links.items() if value is not None}
        name = f"{conversation_id}/{number}" if conversation_id else None
        yield draft_of(thread.all_messages(), Notes(), name, metadata=kept)


def from_json(value: Json) -> Json:
    """A value that may be JSON text, even of JSON text; text that is none stays text."""
    for _ in range(3):
        if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
            break
        parsed = json_in(value)
        if parsed is None:
            break
        value = parsed
    return value


def text_of(value: Json) -> str:
    """An id or a time as text that sorts; numbers are padded."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:025.6f}"
    return ""
