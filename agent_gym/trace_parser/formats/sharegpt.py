"""Rows of fine-tuning sets: ShareGPT and its tool variants, prompt and completion, Alpaca, preference pairs."""

from collections.abc import Iterator, Sequence

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.dialects.calls import definitions_of
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.dialects.sharegpt import is_turn
from agent_gym.trace_parser.formats.arrow import without_filled_nulls
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.types import Json, Message

__all__ = ["ALPACA", "LLAMA_FACTORY", "PREFERENCES", "PROMPT_COMPLETION", "SHAREGPT"]


def _turns(record: dict[str, Json]) -> list[Json] | None:
    for key in ("conversations", "conversation", "messages", "turns"):
        turns = record.get(key)
        if isinstance(turns, list) and turns and all(isinstance(turn, dict) and is_turn(turn) for turn in turns):
            return turns
    return None


def _read_sharegpt(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict) and (turns := _turns(record)) is not None:
            yield _row(record, turns)


def _row(record: dict[str, Json], turns: list[Json]) -> Draft:
    notes = Notes()
    messages = messages_of(turns, notes)
    system = record.get("system")
    if isinstance(system, str) and system and not any(message.role == "system" for message in messages):
        messages.insert(0, Message("system", system))
    if record.get("tools"):
        notes.tools = definitions_of(record["tools"])
    return draft_of(without_filled_nulls(messages, notes), notes, record.get("id"), metadata=_beside(record))


def _beside(record: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in record.items() if key != "id" and isinstance(value, int | float | bool)}


def _is_llama_factory(record: dict[str, Json]) -> bool:
    messages = record.get("messages")
    if not isinstance(messages, list):
        return False
    parts = [p for m in messages if isinstance(m, dict) and isinstance(m.get("content"), list) for p in m["content"]]
    return bool(parts) and all(isinstance(part, dict) and "value" in part and "type" in part for part in parts)


def _read_llama_factory(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict) and isinstance(record.get("messages"), list):
            yield _row(record, record["messages"])


def _is_prompted(record: dict[str, Json]) -> bool:
    return isinstance(record.get("prompt"), str | list) and isinstance(record.get("completion"), str | list)


def _read_prompted(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict):
            yield _answered(record, record.get("prompt"), record.get("completion"))


def _answered(record: dict[str, Json], asked: Json, answer: Json) -> Draft:
    notes = Notes()
    messages = [*given_messages(asked, notes), *said_messages(answer, notes)]
    if record.get("tools"):
        notes.tools = definitions_of(record["tools"])
    label = record.get("label")
    score = float(label) if isinstance(label, bool) else None
    kept = _beside(record) | (
        {"satisfaction": {"raw": label, "scale": "0..1", "from": "label"}} if score is not None else {}
    )
    return draft_of(
        without_filled_nulls(messages, notes), notes, record.get("id"), satisfaction_score=score, metadata=kept
    )


def _is_preference(record: dict[str, Json]) -> bool:
    return "chosen" in record and "rejected" in record


def _read_preferences(group: Group) -> Iterator[Draft]:
    """The chosen answer; the rejected one is kept beside it."""
    for record in group.values:
        if not isinstance(record, dict):
            continue
        chosen, prompt = record.get("chosen"), record.get("prompt")
        draft = _answered(record, prompt, chosen) if prompt else _answered(record, chosen, None)
        yield Draft(
            draft.messages,
            draft.conversation_id,
            draft.outcome,
            draft.satisfaction_score,
            draft.tools,
            {**draft.metadata, "rejected": record.get("rejected")},
            draft.warnings,
        )


def _is_alpaca(record: dict[str, Json]) -> bool:
    return isinstance(record.get("instruction"), str) and isinstance(record.get("output", record.get("response")), str)


def _read_alpaca(group: Group) -> Iterator[Draft]:
    for record in group.values:
        if isinstance(record, dict) and _is_alpaca(record):
            yield draft_of(_alpaca_messages(record), Notes(), record.get("id"), metadata=_beside(record))


def _alpaca_messages(record: dict[str, Json]) -> list[Message]:
    messages = (
        [Message("system", record["system"])] if isinstance(record.get("system"), str) and record["system"] else []
    )
    history = record.get("history")
    for pair in history if isinstance(history, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(said, str) for said in pair):
            messages += [Message("user", pair[0]), Message("assistant", pair[1])]
    asked = record["instruction"]
    if isinstance(more := record.get("input"), str) and more.strip():
        asked = f"{asked}\n{more}"
    return [*messages, Message("user", asked), Message("assistant", record.get("output", record.get("response")))]


SHAREGPT = Format(
    "sharegpt",
    "ShareGPT turns, with tools or without",
    lambda records: 0.93 * share(records, lambda record: _turns(record) is not None),
    _read_sharegpt,
)
LLAMA_FACTORY = Format(
    "llama_factory",
    "LLaMA-Factory's typed messages",
    lambda records: 0.95 * share(records, _is_llama_factory),
    _read_llama_factory,
)


def _detect_prompted(records: Sequence[Json]) -> float:
    return 0.7 * share(records, _is_prompted)


PROMPT_COMPLETION = Format(
    "prompt_completion",
    "Rows of prompt and completion, KTO labels too",
    _detect_prompted,
    _read_prompted,
    experimental=True,
)
PREFERENCES = Format(
    "preferences",
    "Preference pairs (chosen, rejected)",
    lambda records: 0.8 * share(records, _is_preference),
    _read_preferences,
    experimental=True,
)
ALPACA = Format(
    "alpaca",
    "Alpaca instructions",
    lambda records: 0.85 * share(records, _is_alpaca),
    _read_alpaca,
    experimental=True,
)
