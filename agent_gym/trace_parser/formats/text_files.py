"""Tables with a speaker and a text column, and plain transcripts with speaker labels."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.speakers import cast_messages, role_of_word
from agent_gym.trace_parser.transcript import Turn, turns_of
from agent_gym.types import Json, Role

__all__ = ["PLAIN_TEXT", "TABLE", "TURN_RECORDS"]

_IDS: Final = (
    "conversation_id", "conversationid", "ticket_id", "ticketid", "session_id", "sessionid", "chat_id", "chatid",
    "thread_id", "dialogue_id", "dialog_id", "case_id", "call_id", "contact_id", "conversation", "ticket", "session",
    "id",
)  # fmt: skip
_SPEAKERS: Final = (
    "author_role", "speaker", "role", "sender_type", "sender_role", "sender", "author", "from", "participant", "actor",
    "speaker_role", "author_type", "participant_role", "who",
)  # fmt: skip
_TEXTS: Final = (
    "text", "message", "body", "utterance", "content", "transcript", "msg", "comment", "turn", "message_text",
    "message_body", "comment_body",
)  # fmt: skip
_TIMES: Final = (
    "timestamp",
    "created_at",
    "time",
    "date",
    "datetime",
    "sent_at",
    "turn_id",
    "turn_number",
    "turn_index",
    "index",
)
_OUTCOMES: Final = ("outcome", "status", "resolution", "state", "result", "disposition")
_RATINGS: Final = ("satisfaction_score", "satisfaction", "csat", "rating", "score_csat", "customer_rating")
_ELSEWHERE: Final = frozenset(("messages", "chat_history"))  # of other formats, which say more beside them
_TITLE: Final = re.compile(r"^#+\s*(\S+)")


def _column(record: dict[str, Json], names: Sequence[str]) -> str | None:
    by_name = {key.strip().lower().replace(" ", "_"): key for key in record}
    return next((by_name[name] for name in names if name in by_name), None)


def _is_row(record: dict[str, Json]) -> bool:
    speaker, text = _column(record, _SPEAKERS), _column(record, _TEXTS)
    return (
        speaker is not None and text is not None and isinstance(record[speaker], str) and isinstance(record[text], str)
    )


def _keys(record: Json) -> list[str]:
    if not isinstance(record, dict):
        return []
    column = _column(record, _IDS)
    return [f"conversation {record[column]}"] if column is not None and isinstance(record[column], str | int) else []


def _read_rows(group: Group) -> Iterator[Draft]:
    """The rows of one conversation, in the order of their times where they have any."""
    rows = [record for record in group.values if isinstance(record, dict)]
    notes = Notes()
    merged: dict[str, Json] = {}
    for row in rows:
        merged |= {key: value for key, value in row.items() if value not in (None, "")}
    time = _column(merged, _TIMES)
    if time is not None:
        rows.sort(key=lambda row: _sortable(row.get(time)))
    speaker, text = _column(merged, _SPEAKERS), _column(merged, _TEXTS)
    turns = [(str(row.get(speaker) or ""), str(row.get(text) or "")) for row in rows] if speaker and text else []
    outcome, rated, name = _column(merged, _OUTCOMES), _column(merged, _RATINGS), _column(merged, _IDS)
    score, kept = _rating(merged.get(rated) if rated else None, rated)
    used = {time, speaker, text, outcome, name, rated}
    kept |= {key: value for key, value in merged.items() if key not in used and _constant(rows, key)}
    yield draft_of(
        cast_messages(turns, group.roles, notes), notes, merged.get(name) if name else None,
        outcome=str(merged[outcome]) if outcome else None, satisfaction_score=score, metadata=kept,
    )  # fmt: skip


def _turns(record: Json) -> list[dict[str, Json]]:
    """The turns of a record that holds a list of them, each a row with what the record says beside them."""
    if not isinstance(record, dict) or not _ELSEWHERE.isdisjoint(record):
        return []
    for value in record.values():
        if isinstance(value, list) and value and share(value, _is_row) == 1:
            beside = {
                name: one
                for name, one in record.items()
                if isinstance(one, str | int | float) and name.lower() not in (*_SPEAKERS, *_TEXTS, *_TIMES)
            }
            own = _column(beside, _IDS)
            return [{**beside, **turn, **({own: beside[own]} if own else {})} for turn in value]
    return []


def _read_turns(group: Group) -> Iterator[Draft]:
    for item in group.items:
        yield from _read_rows(Group([item._replace(value=turn) for turn in _turns(item.value)], group.roles))


def _sortable(value: Json) -> tuple[float, str]:
    try:
        return float(value), ""
    except (TypeError, ValueError):
        return 0.0, str(value or "")


def _constant(rows: Sequence[dict[str, Json]], key: str) -> bool:
    return len({str(row.get(key)) for row in rows}) == 1


def _rating(value: Json, column: str | None) -> tuple[float | None, dict[str, Json]]:
    """A table does not say its scale: the number stays as it is, unless the caller declares one."""
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        number = None
    if number is None or not math.isfinite(number):
        return None, {}
    return number, {"satisfaction": {"raw": value, "scale": None, "from": column}}


def _detect_rows(records: Sequence[Json]) -> float:
    rows = share(records, _is_row)
    return 0.85 * rows if share(records, lambda record: bool(_keys(record))) > 0.5 else 0.45 * rows


def _detect_text(records: Sequence[Json]) -> float:
    return 0.9 if records and all(isinstance(record, str) and "\n" in record for record in records) else 0.0


def _read_text(group: Group) -> Iterator[Draft]:
    for item in group.items:
        if not isinstance(item.value, str):
            continue
        notes = Notes()
        header, turns = _split(turns_of(item.value), group.roles)
        title = next((match[1] for turn in turns if not turn.label and (match := _TITLE.match(turn.text))), None)
        said = [(turn.label, turn.text) for turn in turns if turn.label and turn.text != "None"]
        if len(said) < sum(bool(turn.label) for turn in turns):
            notes.warn("a turn that says only None was a tool call the transcript lost")
        outcome = header.pop("outcome", None)
        yield draft_of(
            cast_messages(said, group.roles, notes),
            notes,
            title or PurePath(item.source).stem,
            outcome=outcome,
            metadata=header,
        )


def _split(turns: Sequence[Turn], roles: Mapping[str, Role]) -> tuple[dict[str, Json], list[Turn]]:
    """The header and the rest: labelled lines before the conversation, each label there once and nobody's name."""
    counts = Counter(turn.label for turn in turns if turn.label)
    begin = next((at for at, turn in enumerate(turns) if counts[turn.label] > 1), 0)
    header = [turn for turn in turns[:begin] if turn.label and role_of_word(turn.label, roles) is None]
    fields: dict[str, Json] = {turn.label.lower(): turn.text.split("\n")[0].strip() for turn in header}
    return fields, [turn for turn in turns if turn not in header]


TURN_RECORDS = Format(
    "turn_records",
    "Records with a list of turns, each with a speaker and a text",
    lambda records: 0.6 * share(records, lambda record: bool(_turns(record))),
    _read_turns,
    experimental=True,
)
TABLE = Format("table", "Tables (CSV) with speaker and text columns", _detect_rows, _read_rows, _keys)
PLAIN_TEXT = Format("plain_text", "Plain transcripts with speaker labels", _detect_text, _read_text)
