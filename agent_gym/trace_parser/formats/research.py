"""Public research sets: SGD, MultiWOZ 2.1 and 2.2, ABCD."""

from collections.abc import Iterator, Sequence

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json, Message, ToolCall

__all__ = ["ABCD", "MULTIWOZ_21", "SGD"]


def _is_sgd(record: dict[str, Json]) -> bool:
    turns = objects(record.get("turns"))
    return "dialogue_id" in record and bool(turns) and "speaker" in turns[0] and "utterance" in turns[0]


def _read_sgd(group: Group) -> Iterator[Draft]:
    """A frame's `service_call` is a tool call, made before the system speaks."""
    for record in group.values:
        if not isinstance(record, dict):
            continue
        messages: list[Message] = []
        for turn in objects(record.get("turns")):
            messages += [message for frame in objects(turn.get("frames")) for message in _service(frame)]
            said = turn.get("utterance")
            if isinstance(said, str):
                messages.append(Message("user" if str(turn.get("speaker")).upper() == "USER" else "assistant", said))
        kept = {"services": record["services"]} if isinstance(record.get("services"), list) else {}
        yield draft_of(messages, Notes(), record.get("dialogue_id"), metadata=kept)


def _service(frame: dict[str, Json]) -> list[Message]:
    call = frame.get("service_call")
    if not isinstance(call, dict) or not isinstance(call.get("method"), str):
        return []
    given = call.get("parameters")
    made = Message("assistant", None, (ToolCall(call["method"], given if isinstance(given, dict) else {}),))
    if "service_results" not in frame:
        return [made]
    return [made, Message("tool", None, (), call["method"], None, frame["service_results"])]


def _is_woz(record: dict[str, Json]) -> bool:
    log = objects(record.get("log"))
    return bool(log) and "text" in log[0] and "goal" in record


def _dialogues(record: Json) -> Iterator[tuple[str | None, dict[str, Json]]]:
    if isinstance(record, dict) and _is_woz(record):
        yield record.get("dialogue_id"), record
    elif isinstance(record, dict):
        for name, inner in record.items():
            if isinstance(inner, dict) and _is_woz(inner):
                yield name, inner


def _detect_woz(records: Sequence[Json]) -> float:
    return 0.95 * share(records, lambda record: any(True for _ in _dialogues(record)))


def _read_woz(group: Group) -> Iterator[Draft]:
    """The customer speaks first, then both in turn."""
    for record in group.values:
        for name, dialogue in _dialogues(record):
            texts = [str(turn.get("text") or "") for turn in objects(dialogue.get("log"))]
            messages = [Message("assistant" if at % 2 else "user", text) for at, text in enumerate(texts)]
            yield draft_of(messages, Notes(), name, metadata={"goal": dialogue.get("goal")})


def _is_abcd(record: dict[str, Json]) -> bool:
    original = record.get("original")
    return "convo_id" in record and isinstance(original, list)


def _abcd_records(record: Json) -> Iterator[dict[str, Json]]:
    if isinstance(record, dict) and _is_abcd(record):
        yield record
    elif isinstance(record, dict):
        for split in ("train", "dev", "test"):
            yield from (one for one in objects(record.get(split)) if _is_abcd(one))


def _read_abcd(group: Group) -> Iterator[Draft]:
    """A turn of the speaker `action` is a tool call: its name and values stand in the targets of the same turn."""
    for whole in group.values:
        for record in _abcd_records(whole):
            targets = [turn.get("targets") for turn in objects(record.get("delexed"))]
            messages: list[Message] = []
            for at, turn in enumerate(record["original"]):
                if isinstance(turn, list) and len(turn) == 2 and all(isinstance(part, str) for part in turn):
                    messages += _abcd_turn(turn[0], turn[1], targets[at] if at < len(targets) else None)
            scenario = record.get("scenario")
            yield draft_of(
                messages, Notes(), record.get("convo_id"), metadata={"scenario": scenario} if scenario else {}
            )


def _abcd_turn(speaker: str, text: str, target: Json) -> list[Message]:
    if speaker != "action":
        return [Message("user" if speaker == "customer" else "assistant", text)]
    name, values = "action", []
    if isinstance(target, list) and len(target) > 3:
        name = str(target[2] or name)
        values = target[3] if isinstance(target[3], list) else []
    made = Message("assistant", None, (ToolCall(name, {"values": values}),))
    return [made, Message("tool", None, (), name, None, text)]


SGD = Format(
    "sgd", "Schema-Guided Dialogue and MultiWOZ 2.2", lambda records: 0.96 * share(records, _is_sgd), _read_sgd
)
MULTIWOZ_21 = Format("multiwoz_21", "MultiWOZ 2.1", _detect_woz, _read_woz, experimental=True)
ABCD = Format(
    "abcd",
    "ABCD",
    lambda records: 0.95 * share(records, lambda record: any(True for _ in _abcd_records(record))),
    _read_abcd,
    experimental=True,
)
