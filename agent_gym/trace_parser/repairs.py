"""What was wrong with a record: repairs by name, what was set aside, and the reject where none is safe.

A repair is made only where it cannot change what was said or done; it is counted in `metadata.repairs`, and
what it took out is kept beside it: `other_messages`, `message_extras` and `raw`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_gym.errors import TraceError
from agent_gym.types import Json

__all__ = ["REPAIRS", "Reject", "RepairName", "Repairs"]

RepairName = Literal[
    "not_finite_as_null",
    "lone_surrogate_replaced",
    "conversation_id_made",
    "conversation_id_from_id",
    "conversation_id_as_text",
    "outcome_as_text",
    "score_from_text",
    "field_kept_raw",
    "field_moved_to_metadata",
    "role_lowercased",
    "other_role_set_aside",
    "message_field_set_aside",
    "content_parts_joined",
    "value_as_text",
    "calls_from_text",
    "function_call_unfolded",
    "arguments_renamed",
    "arguments_parsed",
    "arguments_missing",
    "arguments_not_an_object",
    "call_made_from_result",
    "result_from_content",
    "control_token_stripped",
    "control_token_message_dropped",
    "call_id_made",
    "call_id_made_unique",
    "result_paired",
    "result_renamed",
    "result_moved_to_its_call",
    "result_without_call",
    "result_set_aside",
    "customer_call_set_aside",
]

_LONGEST = 1_000_000  # characters of a rejected record that are kept
REPAIRS: Mapping[RepairName, str] = {
    "not_finite_as_null": "NaN or an infinity, which JSON does not have, was read as null",
    "lone_surrogate_replaced": "half of a surrogate pair was replaced by U+FFFD",
    "conversation_id_made": "the record had no conversation_id: one was made of a digest of its content",
    "conversation_id_from_id": "the record had no conversation_id: its `id` was taken",
    "conversation_id_as_text": "a numeric conversation_id was read as text",
    "outcome_as_text": "an outcome that was a number or a boolean was read as text",
    "score_from_text": "a satisfaction_score written as text was read as a number",
    "field_kept_raw": "a field of the record had a value of the wrong kind; it is kept in metadata.raw",
    "field_moved_to_metadata": "a field that the schema does not have was moved into metadata",
    "role_lowercased": "a role was written in capitals or with spaces around it",
    "other_role_set_aside": "a message of an unknown role was moved to metadata.other_messages",
    "message_field_set_aside": "a message field that the schema does not have is in metadata.message_extras",
    "content_parts_joined": "content given as parts was joined to one text",
    "value_as_text": "a number was read as text where the schema has text",
    "calls_from_text": "tool_calls written as JSON text were parsed",
    "function_call_unfolded": 'a call in the form {"function": {"name", "arguments"}} was unfolded',
    "arguments_renamed": "arguments under another name (args, input, parameters) were taken",
    "arguments_parsed": "arguments written as JSON text were parsed",
    "arguments_missing": "a call without arguments was read as a call with none",
    "arguments_not_an_object": 'arguments that are no JSON object are kept as {"_raw": …}',
    "call_made_from_result": "no message held calls: a call was made of a result that states its arguments",
    "result_from_content": "a tool's content was read as its result",
    "control_token_stripped": "a control token of another harness was taken out; see metadata.ended_by",
    "control_token_message_dropped": "a message that was only a control token was dropped",
    "call_id_made": "a call without an id was given one",
    "call_id_made_unique": "a call id used before in the conversation got a suffix",
    "result_paired": "a result without a usable id was paired with its call by name or order",
    "result_renamed": "a result was given the name of the tool it answers for",
    "result_moved_to_its_call": "a result was moved to directly after the message that called",
    "result_without_call": "a named result that answers no call is kept in place, without an id",
    "result_set_aside": "a result that cannot be told to any call is in metadata.other_messages",
    "customer_call_set_aside": "a tool call by the customer is in metadata.other_messages, with its result",
}


@dataclass(frozen=True, slots=True)
class Reject:
    """Records that could not be used. `line` is the first one's line in the file, or position in a list, from 1."""

    source: str
    line: int | None
    reason: str
    fix: str = ""  # what to do about it
    record: str = ""  # the first record, printable; whole, but for what is beyond a million characters
    records: int = 1  # how many records this stands for: a conversation of spans is refused as a whole

    @classmethod
    def of(cls, error: TraceError, raw: bytes | str = b"") -> "Reject":
        return cls(error.source, error.line, error.reason, error.hint, _printable(raw))

    def error(self) -> TraceError:
        return TraceError(self.source, self.line, self.reason, self.fix)


def _printable(raw: bytes | str) -> str:
    text = raw[:_LONGEST].decode("utf-8", "replace") if isinstance(raw, bytes) else raw[:_LONGEST]
    # Terminals obey escape sequences; what is shown of somebody's log must not carry any.
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return text + ("…" if len(raw) > _LONGEST else "")


class Repairs:
    """The notes taken while one record is read. Positions are those of the record's own messages, from 0."""

    __slots__ = (
        "_where", "counts", "ended_by", "line", "message_extras", "other_messages", "positions", "raw", "source",
    )  # fmt: skip

    def __init__(self, source: str, line: int | None, where: str = "") -> None:
        self.source, self.line, self._where = source, line, where
        self.counts: Counter[str] = Counter()
        self.other_messages: list[dict[str, Json]] = []
        self.message_extras: list[dict[str, Json]] = []
        self.raw: dict[str, Json] = {}
        self.ended_by: str | None = None
        self.positions: Sequence[int] | None = None  # of the messages kept so far; None: all of them

    def note(self, name: RepairName, times: int = 1) -> None:
        self.counts[name] += times

    def set_aside(self, at: int, message: Mapping[str, Json]) -> None:
        self.other_messages.append({"at": at, **message})

    def keep_extras(self, at: int, fields: Mapping[str, Json]) -> None:
        if fields:
            self.message_extras.append({"at": at, **fields})

    def position(self, index: int) -> int:
        return index if self.positions is None else self.positions[index]

    def error(self, reason: str, hint: str = "") -> TraceError:
        return TraceError(self.source, self.line, self._where + reason, hint)

    def onto(self, metadata: Mapping[str, Json]) -> dict[str, Json]:
        """The metadata with these notes added to those of an earlier reading."""
        merged = dict(metadata)
        if self.ended_by is not None:
            merged.setdefault("ended_by", self.ended_by)
        for key, items in (("other_messages", self.other_messages), ("message_extras", self.message_extras)):
            if items:
                earlier = merged.get(key)
                merged[key] = [*earlier, *items] if isinstance(earlier, list) else items
        earlier = merged.get("raw")
        if self.raw:
            merged["raw"] = {**earlier, **self.raw} if isinstance(earlier, dict) else self.raw
        earlier = merged.get("repairs")
        if self.counts:
            merged["repairs"] = _counted(earlier if isinstance(earlier, dict) else {}, self.counts)
        return merged


def _counted(earlier: Mapping[str, Json], counts: Counter[str]) -> dict[str, Json]:
    # Some notes describe what a trace still is (a result without a call): reading it again must not add them up.
    names = sorted({*earlier, *counts})
    return {name: max(counts[name], n if isinstance(n := earlier.get(name), int) else 0) for name in names}
