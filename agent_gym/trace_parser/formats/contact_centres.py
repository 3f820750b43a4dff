"""Transcripts of contact centres: Amazon Connect, Twilio, Salesforce, Genesys, and vCon."""

from collections.abc import Iterator, Sequence

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.html import text_from_html
from agent_gym.trace_parser.formats.speakers import cast_messages
from agent_gym.trace_parser.formats.traced import from_json, text_of
from agent_gym.trace_parser.values import name_of, objects
from agent_gym.types import Json

__all__ = ["CONTACT_LENS", "GENESYS", "SALESFORCE", "TWILIO", "VCON"]


def _is_lens(record: dict[str, Json]) -> bool:
    return bool(objects(record.get("Transcript"))) and isinstance(record.get("Participants"), list)


def _read_lens(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        people = {
            name_of(one.get("ParticipantId")): str(one.get("ParticipantRole") or "")
            for one in objects(record.get("Participants"))
        }
        lines = objects(record.get("Transcript"))
        turns = [
            (
                people.get(name_of(line.get("ParticipantId")))
                or str(line.get("ParticipantRole") or line.get("ParticipantId")),
                str(line.get("Content") or ""),
            )
            for line in lines
            if line.get("Content")
        ]
        customer = record.get("CustomerMetadata")
        contact = customer.get("ContactId") if isinstance(customer, dict) else None
        content = record.get("ContentMetadata")
        if isinstance(content, dict) and content.get("Output") == "Redacted":
            notes.warn("the export is redacted: names and numbers in it are masked")
        kept = {"channel": record["Channel"]} if isinstance(record.get("Channel"), str) else {}
        yield draft_of(cast_messages(turns, group.roles, notes), notes, contact, metadata=kept)


def _is_sentence(record: dict[str, Json]) -> bool:
    return "media_channel" in record and "transcript" in record


def _is_twilio_message(record: dict[str, Json]) -> bool:
    return "conversation_sid" in record and "body" in record and "author" in record


def _twilio_keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    name = record.get("conversation_sid") or record.get("transcript_sid")
    return [f"conversation {name}"] if isinstance(name, str) else []


def _read_twilio(group: Group) -> Iterator[Draft]:
    """Sentences name a channel, not a person: roles say who is on which."""
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    records.sort(key=lambda record: _number(record.get("index", record.get("sentence_index"))))
    turns = [
        (f"channel {record['media_channel']}", str(record.get("transcript") or ""))
        if _is_sentence(record)
        else (_author(record), str(record.get("body") or ""))
        for record in records
    ]
    first = records[0] if records else {}
    name = first.get("conversation_sid") or first.get("transcript_sid")
    yield draft_of(cast_messages(turns, group.roles, notes), notes, name)


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _author(record: dict[str, Json]) -> str:
    """A participant's address is a customer's; agents write under a name."""
    author = str(record.get("author") or "")
    return "customer" if author.startswith(("whatsapp:", "+", "messenger:", "sms:")) else author


def _is_entry(record: dict[str, Json]) -> bool:
    return ("ActorType" in record or ("sender" in record and "entryType" in record)) and (
        "Message" in record or "EntryType" in record or "entryPayload" in record or "messageText" in record
    )


def _salesforce_keys(record: Json) -> list[str]:
    name = record.get("ConversationId") or record.get("conversationId") if isinstance(record, dict) else None
    return [f"conversation {name}"] if isinstance(name, str) else []


def _read_salesforce(group: Group) -> Iterator[Draft]:
    notes = Notes()
    records = [record for record in group.values if isinstance(record, dict)]
    records.sort(key=lambda record: text_of(record.get("EntryTime", record.get("serverReceivedTimestamp"))))
    turns = [(_actor(record), text) for record in records if (text := _entry_text(record))]
    first = records[0] if records else {}
    yield draft_of(
        cast_messages(turns, group.roles, notes), notes, first.get("ConversationId") or first.get("conversationId")
    )


def _actor(record: dict[str, Json]) -> str:
    sender = record.get("sender")
    role = sender.get("role") if isinstance(sender, dict) else None
    return str(record.get("ActorType") or role or "").lower().replace(" ", "")


def _entry_text(record: dict[str, Json]) -> str:
    payload = from_json(record.get("entryPayload", record.get("EntryPayload")))
    for holder in (record, payload if isinstance(payload, dict) else {}):
        for key in ("Message", "messageText", "text"):
            if isinstance(value := holder.get(key), str) and value.strip():
                return text_from_html(value)
    message = payload.get("abstractMessage") if isinstance(payload, dict) else None
    content = message.get("staticContent") if isinstance(message, dict) else None
    return str(content.get("text") or "") if isinstance(content, dict) else ""


def _phrases(record: dict[str, Json]) -> list[dict[str, Json]]:
    return [phrase for one in objects(record.get("transcripts")) for phrase in objects(one.get("phrases"))]


def _read_genesys(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        phrases = sorted(_phrases(record), key=lambda phrase: _number(phrase.get("startTimeMs")))
        turns = [(str(phrase.get("participantPurpose") or ""), str(phrase.get("text") or "")) for phrase in phrases]
        yield draft_of(
            cast_messages(_joined(turns), group.roles, notes), notes, record.get("conversationId") or record.get("id")
        )


def _joined(turns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Phrases of one speaker in a row are one turn."""
    joined: list[tuple[str, str]] = []
    for label, text in turns:
        if joined and joined[-1][0] == label:
            joined[-1] = (label, f"{joined[-1][1]} {text}")
        else:
            joined.append((label, text))
    return joined


def _is_vcon(record: dict[str, Json]) -> bool:
    return "vcon" in record and isinstance(record.get("parties"), list) and isinstance(record.get("dialog"), list)


def _read_vcon(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if not isinstance(record, dict):
            continue
        notes = Notes()
        parties = objects(record.get("parties"))
        turns: list[tuple[str, str]] = []
        for dialog in sorted(objects(record.get("dialog")), key=lambda one: text_of(one.get("start"))):
            speaker = dialog.get("originator", dialog.get("parties", dialog.get("party")))
            speaker = speaker[0] if isinstance(speaker, list) and speaker else speaker
            body = dialog.get("body")
            if isinstance(body, str) and body.strip() and dialog.get("type", "text") == "text":
                turns.append((_party(parties, speaker), text_from_html(body) if "<" in body else body))
        yield draft_of(cast_messages(turns, group.roles, notes), notes, record.get("uuid"))


def _party(parties: Sequence[dict[str, Json]], index: Json) -> str:
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(parties):
        return f"party {index}"
    party = parties[index]
    return str(party.get("role") or party.get("name") or party.get("mailto") or party.get("tel") or f"party {index}")


CONTACT_LENS = Format(
    "contact_lens",
    "Amazon Connect Contact Lens",
    lambda records: 0.96 * share(records, _is_lens),
    _read_lens,
    experimental=True,
)
TWILIO = Format(
    "twilio", "Twilio conversations and sentences",
    lambda records: 0.94 * share(records, lambda r: _is_sentence(r) or _is_twilio_message(r)),
    _read_twilio, _twilio_keys, experimental=True,
)  # fmt: skip
SALESFORCE = Format(
    "salesforce", "Salesforce conversation entries", lambda records: 0.94 * share(records, _is_entry), _read_salesforce,
    _salesforce_keys, experimental=True,
)  # fmt: skip
GENESYS = Format(
    "genesys",
    "Genesys Cloud transcripts",
    lambda records: 0.95 * share(records, lambda r: bool(_phrases(r))),
    _read_genesys,
    experimental=True,
)
VCON = Format("vcon", "vCon", lambda records: 0.97 * share(records, _is_vcon), _read_vcon)
