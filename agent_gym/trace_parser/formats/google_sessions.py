"""Sessions of Google's Agent Development Kit, and stored interactions of the Gemini API."""

from collections.abc import Iterator

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.calls import call_of, result_of
from agent_gym.trace_parser.dialects.conversation import merged_turns
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages, system_text
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json, Message

__all__ = ["ADK_SESSION", "GEMINI_INTERACTION"]


def _is_session(record: dict[str, Json]) -> bool:
    events = objects(record.get("events"))
    return bool(events) and all("author" in event for event in events) and any(_spoken(event) for event in events)


def _spoken(event: dict[str, Json]) -> Json:
    """What an event says; pieces of a stream are said again by the event that ends it."""
    content = event.get("content")
    return content if isinstance(content, dict) and content.get("parts") and event.get("partial") is not True else None


def _read_session(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict):
            notes = Notes()
            said = [content for event in objects(record.get("events")) if (content := _spoken(event)) is not None]
            # What no role is given for, the customer said: the kit gives one to all that models say.
            messages = messages_of([{"role": "user", **content} for content in said], notes)
            kept = {
                key: record[key] for key in ("app_name", "appName", "user_id", "userId", "state") if record.get(key)
            }
            yield draft_of(messages, notes, record.get("id"), metadata=kept)


def _is_interaction(record: dict[str, Json]) -> bool:
    return record.get("object") == "interaction" and isinstance(record.get("steps", record.get("outputs")), list)


def _read_interaction(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict):
            notes = Notes()
            messages = given_messages(record.get("input"), notes)
            if system := system_text(record, notes):
                messages.insert(0, Message("system", system))
            for step in objects(record.get("steps", record.get("outputs"))):
                messages += _step(step, notes)
            yield draft_of(merged_turns(messages), notes, record.get("id"))


def _step(step: dict[str, Json], notes: Notes) -> list[Message]:
    kind = step.get("type")
    if kind == "thought":
        notes.warn("reasoning is not part of a conversation and was left out")
        return []
    if kind == "function_call":
        call = call_of(step, notes)
        return [] if call is None else [Message("assistant", None, (call,))]
    if kind == "function_result":
        return [result_of({key: value for key, value in step.items() if key != "id" or "call_id" not in step})]
    if kind == "user_input":
        return given_messages(step.get("content", step.get("text")), notes)
    found = said_messages(step.get("content", step.get("text")), notes)
    if not found:
        notes.set_aside(step, "a message of an unknown kind or role was set aside")
    return found


ADK_SESSION = Format(
    "adk_session",
    "Google Agent Development Kit sessions",
    lambda records: 0.94 * share(records, _is_session),
    _read_session,
    experimental=True,
)
GEMINI_INTERACTION = Format(
    "gemini_interaction",
    "Gemini API interactions",
    lambda records: 0.96 * share(records, _is_interaction),
    _read_interaction,
    experimental=True,
)
