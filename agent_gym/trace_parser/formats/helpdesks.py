"""Exports of help desks: Intercom and Zendesk (tickets with comments, incremental comments, chat, audits)."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.html import text_from_html
from agent_gym.trace_parser.formats.outcomes import rating
from agent_gym.trace_parser.formats.speakers import cast_messages
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json, Message

__all__ = ["INTERCOM", "ZENDESK", "ZENDESK_CHAT"]

_INTERCOM_USERS: Final = ("user", "lead", "contact")
_RATINGS: Final = {"good": 1.0, "bad": 0.0, "good_with_comment": 1.0, "bad_with_comment": 0.0}


def _is_intercom(record: dict[str, Json]) -> bool:
    parts, source = record.get("conversation_parts"), record.get("source")
    return isinstance(parts, dict) or (record.get("type") == "conversation" and isinstance(source, dict))


def _read_intercom(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        listed = record.get("conversation_parts")
        parts = listed.get("conversation_parts") if isinstance(listed, dict) else None
        found = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        total = listed.get("total_count") if isinstance(listed, dict) else None
        if isinstance(total, int) and total > len(found):
            notes.warn("the export holds only some of the conversation's parts", f"{len(found)} of {total}")
        source = record.get("source")
        messages = [
            message for part in ([source] if isinstance(source, dict) else []) for message in _part(part, notes)
        ]
        messages += [message for part in found for message in _part(part, notes)]
        rated = record.get("conversation_rating")
        score, kept = rating(
            rated.get("rating") if isinstance(rated, dict) else None, 1, 5, "conversation_rating.rating"
        )
        kept |= {
            key: record[key] for key in ("state", "created_at", "title", "ai_agent", "statistics") if record.get(key)
        }
        yield draft_of(
            messages,
            notes,
            record.get("id"),
            outcome=_intercom_outcome(record),
            satisfaction_score=score,
            metadata=kept,
        )


def _part(part: dict[str, Json], notes: Notes) -> list[Message]:
    """A part without a body is an event; a note was never shown to the customer."""
    body, author = part.get("body"), part.get("author")
    kind = part.get("part_type")
    if not isinstance(body, str) or not (text := text_from_html(body)):
        return []
    who = author.get("type") if isinstance(author, dict) else None
    if kind == "note":
        notes.set_aside({"role": str(who), "content": text, "note": True}, "an internal note was set aside")
        return []
    return [Message("user" if who in _INTERCOM_USERS else "assistant", text)]


def _intercom_outcome(record: dict[str, Json]) -> str | None:
    agent = record.get("ai_agent")
    state = agent.get("resolution_state") if isinstance(agent, dict) else None
    if isinstance(state, str):
        return state
    return record["state"] if isinstance(record.get("state"), str) else None


def _is_comment(record: dict[str, Json]) -> bool:
    body = any(isinstance(record.get(key), str) for key in ("body", "plain_body", "html_body"))
    return body and "author_id" in record and ("public" in record or "via" in record or "ticket_id" in record)


def _is_ticket(record: dict[str, Json]) -> bool:
    if isinstance(record.get("comments"), list) or isinstance(record.get("audits"), list):
        return (
            isinstance(record.get("ticket"), dict)
            or "requester_id" in record
            or any(_is_comment(c) for c in objects(record.get("comments")))
        )
    return "requester_id" in record and "status" in record


def _ticket_of(record: dict[str, Json]) -> dict[str, Json]:
    inner = record.get("ticket")
    return inner if isinstance(inner, dict) else record


def _is_event(record: dict[str, Json]) -> bool:
    return "child_events" in record and "ticket_id" in record


def _is_audit(record: dict[str, Json]) -> bool:
    return isinstance(record.get("events"), list) and "ticket_id" in record and "author_id" in record


def _zendesk_keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    ticket = record.get("ticket_id") or (_ticket_of(record).get("id") if _is_ticket(record) else None)
    return [f"ticket {ticket}"] if ticket else []


def _read_zendesk(group: Group) -> Iterator[Draft]:
    records = [record for record in group.values if isinstance(record, dict)]
    ticket: dict[str, Json] = next((_ticket_of(record) for record in records if _is_ticket(record)), {})
    comments = [c for record in records for c in _comments(record)]
    notes = Notes()
    requester = ticket.get("requester_id")
    users: Json = next((record["users"] for record in records if isinstance(record.get("users"), list)), [])
    customers = [user.get("id") for user in objects(users) if user.get("role") == "end-user"]
    if requester is None and comments and not customers:
        requester = comments[0].get("author_id")
        notes.warn("who is the customer was guessed: the author of the first comment", requester)
    messages: list[Message] = []
    if not comments and isinstance(ticket.get("description"), str):
        messages.append(Message("user", ticket["description"]))
    for comment in sorted(comments, key=lambda one: str(one.get("created_at") or "")):
        text = next(
            (comment[key] for key in ("plain_body", "body", "html_body") if isinstance(comment.get(key), str)), ""
        )
        text = text_from_html(text) if comment.get("plain_body") is None and "<" in text else text.strip()
        who = comment.get("author_id")
        is_user = who == requester or who in customers
        if comment.get("public") is False:
            notes.set_aside({"role": "agent", "content": text, "note": True}, "an internal note was set aside")
        elif text:
            messages.append(Message("user" if is_user else "assistant", text))
    score, kept = _zendesk_rating(ticket.get("satisfaction_rating"))
    kept |= {key: ticket[key] for key in ("subject", "created_at", "tags", "priority", "channel") if ticket.get(key)}
    name = ticket.get("id") or next((r.get("ticket_id") for r in records if r.get("ticket_id")), None)
    status = ticket.get("status")
    yield draft_of(
        messages,
        notes,
        name,
        outcome=status if isinstance(status, str) else None,
        satisfaction_score=score,
        metadata=kept,
    )


def _comments(record: dict[str, Json]) -> list[dict[str, Json]]:
    if _is_comment(record):
        return [record]
    found = [comment for comment in objects(record.get("comments")) if _is_comment({"public": True, **comment})]
    for audit in [record, *objects(record.get("audits"))]:
        beside = {"created_at": audit.get("created_at"), "author_id": audit.get("author_id"), "public": True}
        events = [*objects(audit.get("events")), *objects(audit.get("child_events"))]
        found += [{**beside, **event} for event in events if "Comment" in (event.get("type"), event.get("event_type"))]
    return found


def _zendesk_rating(given: Json) -> tuple[float | None, dict[str, Json]]:
    """Good or bad; offered and unoffered are no ratings."""
    given_word = given.get("score") if isinstance(given, dict) else given
    if not isinstance(given_word, str) or given_word not in _RATINGS:
        return None, {}
    return _RATINGS[given_word], {
        "satisfaction": {"raw": given_word, "scale": "bad..good", "from": "satisfaction_rating.score"}
    }


def _detect_zendesk(records: Sequence[Json]) -> float:
    return 0.93 * share(records, lambda r: _is_comment(r) or _is_ticket(r) or _is_event(r) or _is_audit(r))


def _is_chat(record: dict[str, Json]) -> bool:
    return any(str(line.get("type")).startswith("chat.") for line in objects(record.get("history")))


def _read_chat(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        lines = [line for line in objects(record.get("history")) if line.get("type") == "chat.msg"]
        turns = [(_sender(line, record), str(line.get("msg") or "")) for line in lines]
        score, kept = _zendesk_rating(record.get("rating"))
        yield draft_of(
            cast_messages(turns, group.roles, notes), notes, record.get("id"), satisfaction_score=score, metadata=kept
        )


def _sender(line: dict[str, Json], record: dict[str, Json]) -> str:
    if isinstance(kind := line.get("sender_type"), str):
        return kind.lower()
    nick = str(line.get("nick") or "")
    if nick.startswith(("agent", "visitor")):
        return nick.split(":", maxsplit=1)[0]
    agents = record.get("agent_names")
    return "agent" if isinstance(agents, list) and line.get("name") in agents else "visitor"


INTERCOM = Format(
    "intercom", "Intercom conversations", lambda records: 0.95 * share(records, _is_intercom), _read_intercom
)
ZENDESK = Format(
    "zendesk", "Zendesk tickets, comments and audits", _detect_zendesk, _read_zendesk, _zendesk_keys, experimental=True
)
ZENDESK_CHAT = Format(
    "zendesk_chat", "Zendesk chats", lambda records: 0.95 * share(records, _is_chat), _read_chat, experimental=True
)
