"""The trace schema itself: one conversation a record, checked strictly and mended where that cannot change it."""

from collections.abc import Iterator, Sequence

from pydantic_core import ValidationError

from agent_gym.trace_parser.decode import may_be_deep
from agent_gym.trace_parser.formats.clean_trace import clean_trace
from agent_gym.trace_parser.formats.format import Format, Group, Item, share
from agent_gym.trace_parser.record import trace_of
from agent_gym.trace_parser.schema import strict_trace
from agent_gym.trace_parser.settle import is_settled
from agent_gym.types import ROLES, Json, Trace

__all__ = ["TRACE_SCHEMA"]


def _detect(records: Sequence[Json]) -> float:
    return max(0.96 * share(records, _is_named), 0.55 * share(records, _is_plain))


def _is_named(record: dict[str, Json]) -> bool:
    return "conversation_id" in record and isinstance(record.get("messages"), list) and _roles(record["messages"])


def _is_plain(record: dict[str, Json]) -> bool:
    return isinstance(record.get("messages"), list) and _roles(record["messages"])


def _roles(messages: list[Json]) -> bool:
    """Whether all are messages with a role; one that says what it says in parts is of another dialect."""
    return all(
        isinstance(message, dict)
        and message.get("role") in ROLES
        and not isinstance(message.get("parts", message.get("toolInvocations")), list)
        for message in messages
    )


def _clean(item: Item) -> Trace | None:
    """The trace of a record exactly in the schema."""
    if item.mended is not None or may_be_deep(item.raw):
        return None
    if (plain := clean_trace(item.value)) is not None:
        return plain
    try:
        trace = strict_trace(item.value)
    except ValidationError:
        return None
    return trace if is_settled(trace.messages) else None


def _read(group: Group) -> Iterator[Trace]:
    for item in group.items:
        yield trace_of(item.value, item.raw, item.repairs())


TRACE_SCHEMA = Format("trace_schema", "Agent Gym's own trace schema", _detect, _read, clean=_clean)
