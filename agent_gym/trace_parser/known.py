"""A trace in, the same trace out if its id is new in this reading; an id that was made is made once more instead."""

from dataclasses import replace
from typing import NamedTuple

from agent_gym.trace_parser.formats.format import Item
from agent_gym.trace_parser.repairs import Repairs
from agent_gym.types import Trace

__all__ = ["Known"]


class _Seen(NamedTuple):
    source: str
    line: int | None
    content: int  # a hash of the record's bytes


class Known:
    """The conversation ids of one reading."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def holds(self, conversation_id: str) -> bool:
        return conversation_id in self._seen

    def is_new(self, conversation_id: str, item: Item) -> bool:
        """Whether the id is new; it is known from then on."""
        if conversation_id in self._seen:
            return False
        self._seen[conversation_id] = _Seen(item.source, item.line, hash(item.raw))
        return True

    def once(self, trace: Trace, raw: bytes, notes: Repairs) -> Trace:
        """Raises `TraceError` for an id that was given and read before."""
        conversation_id, count = trace.conversation_id, 1
        while conversation_id in self._seen and notes.counts["conversation_id_made"]:
            count += 1
            conversation_id = f"{trace.conversation_id}-{count}"
        if earlier := self._seen.get(conversation_id):
            reason = f"conversation_id {conversation_id!r} was read before, at {earlier.source}:{earlier.line}"
            if raw:
                reason += ", with the same content" if hash(raw) == earlier.content else ", with other content"
            raise notes.error(reason, "leave one of them out, or give it an id of its own")
        self._seen[conversation_id] = _Seen(notes.source, notes.line, hash(raw))
        return trace if conversation_id == trace.conversation_id else replace(trace, conversation_id=conversation_id)
