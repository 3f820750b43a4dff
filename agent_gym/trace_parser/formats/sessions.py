"""Session logs of other agents: Codex rollouts, Anthropic's managed agents, sessions shared on the Hugging Face hub."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.calls import result_of
from agent_gym.trace_parser.dialects.parts import pieces_of
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.values import word
from agent_gym.types import Json, Message, ToolCall

__all__ = ["CODEX", "MANAGED_AGENTS", "SHARED_SESSION"]

_CODEX: Final = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}


def _is_codex(record: dict[str, Json]) -> bool:
    return word(record.get("type")) in _CODEX and isinstance(record.get("payload"), dict)


def _read_codex(group: Group) -> Iterator[Draft]:
    """Only `response_item` is the conversation; `event_msg` repeats it."""
    notes = Notes()
    lines = [record for record in group.values if isinstance(record, dict) and isinstance(record.get("payload"), dict)]
    meta: dict[str, Json] = next((line["payload"] for line in lines if line.get("type") == "session_meta"), {})
    messages = messages_of([line["payload"] for line in lines if line.get("type") == "response_item"], notes)
    instructions = meta.get("instructions") or meta.get("base_instructions")
    if isinstance(instructions, dict):
        instructions = instructions.get("text")
    if isinstance(instructions, str) and not any(message.role == "system" for message in messages):
        messages.insert(0, Message("system", instructions))
    kept = {key: meta[key] for key in ("cwd", "cli_version", "timestamp") if isinstance(meta.get(key), str)}
    if any(line.get("type") == "compacted" for line in lines):
        notes.warn("the log shortened the history on the way: the long form is kept")
    yield draft_of(messages, notes, meta.get("id"), metadata=kept)


def _events(records: Sequence[Json]) -> Iterator[dict[str, Json]]:
    """The events of a managed session: as they are, or recorded as [method, payload]; what was sent comes back."""
    for record in records:
        if isinstance(record, dict):
            yield record
        elif isinstance(record, list) and len(record) == 2 and isinstance(record[1], dict):
            yield record[1]


def _is_event(event: dict[str, Json]) -> bool:
    kind = event.get("type")
    return isinstance(kind, str) and kind.startswith(("agent.", "user.", "session.", "span."))


def _detect_managed(records: Sequence[Json]) -> float:
    events = list(_events(records))
    known = sum(_is_event(event) for event in events)
    said = any(event.get("type") in ("agent.message", "user.message") for event in events)
    return 0.9 * said * known / len(records) if records and known >= 0.5 * len(records) else 0.0


def _read_managed(group: Group) -> Iterator[Draft]:
    notes = Notes()
    messages: list[Message] = []
    session: dict[str, Json] = {}
    for event in _events(group.values):
        kind = str(event.get("type"))
        if kind == "session":
            session = session or event
        elif kind in ("user.message", "agent.message"):
            text = pieces_of(event.get("content"), notes).text
            messages += [Message("user" if kind == "user.message" else "assistant", text)] if text else []
        elif kind in ("agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"):
            given = event.get("input")
            call = ToolCall(
                str(event.get("name")), given if isinstance(given, dict) else {}, str(event.get("id") or "")
            )
            messages.append(Message("assistant", None, (call,)))
        elif kind.endswith("tool_result"):
            ids = (event.get(key) for key in ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id"))
            call_id = next((one for one in ids if isinstance(one, str)), "")
            answer = result_of({**event, "id": call_id}, ("content", "result", "output"))
            messages.append(answer)
    agent = session.get("agent")
    if isinstance(agent, dict) and isinstance(system := agent.get("system"), str) and system:
        messages.insert(0, Message("system", system))
    yield draft_of(messages, notes, session.get("id"))


def _is_shared(records: Sequence[Json]) -> float:
    head = records[0] if records else None
    if not isinstance(head, dict) or head.get("type") != "session" or "harness" not in head:
        return 0.0
    return 0.95


def _shared_keys(_: Json) -> tuple[str, ...]:
    return ()


def _read_shared(group: Group) -> Iterator[Draft]:
    notes = Notes()
    lines = [record for record in group.values if isinstance(record, dict)]
    head = next((line for line in lines if line.get("type") == "session"), {})
    said = [
        line["message"] for line in lines if line.get("type") == "message" and isinstance(line.get("message"), dict)
    ]
    yield draft_of(messages_of(said, notes), notes, head.get("id"), metadata={"harness": head.get("harness")})


CODEX = Format("codex", "Codex rollouts", lambda records: 0.95 * share(records, _is_codex), _read_codex, lambda _: ())
MANAGED_AGENTS = Format(
    "anthropic_managed_agents", "Anthropic managed-agent sessions", _detect_managed, _read_managed, lambda _: ()
)
SHARED_SESSION = Format(
    "shared_session",
    "Sessions as shared on the Hugging Face hub (STS)",
    _is_shared,
    _read_shared,
    _shared_keys,
    experimental=True,
)
