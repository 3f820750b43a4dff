"""inspect_ai logs: a JSON log, or the samples of an .eval archive; attachments are put back in their places."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.trace_parser.formats.format import Draft, Format, Group, draft_of, share
from agent_gym.trace_parser.formats.outcomes import outcome_word
from agent_gym.trace_parser.values import objects
from agent_gym.types import Json

__all__ = ["INSPECT_AI"]

_ATTACHED: Final = ("attachment://", "tc://")


def _is_log(record: dict[str, Json]) -> bool:
    return isinstance(record.get("eval"), dict) and ("samples" in record or "plan" in record or "version" in record)


def _is_sample(record: dict[str, Json]) -> bool:
    return "epoch" in record and "target" in record and ("messages" in record or "input" in record)


def _is_summary(record: dict[str, Json]) -> bool:
    return "scorer" in record and "samples" in record


def _detect(records: Sequence[Json]) -> float:
    return 0.95 * share(records, lambda record: _is_log(record) or _is_sample(record) or _is_summary(record))


def _read(group: Group) -> Iterator[Draft]:
    """Every sample once: archives list them again in their summaries, which hold no messages."""
    samples: dict[str, dict[str, Json]] = {}
    for record in group.values:
        if not isinstance(record, dict):
            continue
        for sample in objects(record.get("samples")) if _is_log(record) else [record]:
            if _is_sample(sample) and sample.get("messages"):
                samples.setdefault(f"{sample.get('id')}-{sample.get('epoch')}", sample)
    for name, sample in samples.items():
        yield _draft(name, sample)


def _draft(name: str, sample: dict[str, Json]) -> Draft:
    notes = Notes()
    attachments = sample.get("attachments")
    messages = _attached(sample["messages"], attachments if isinstance(attachments, dict) else {})
    scores = sample.get("scores")
    values = (
        {key: score.get("value") for key, score in scores.items() if isinstance(score, dict)}
        if isinstance(scores, dict)
        else {}
    )
    # Several scorers may disagree, and none of them is the customer: only a single verdict is an outcome.
    verdict = outcome_word(next(iter(values.values()))) if len(values) == 1 else None
    kept: dict[str, Json] = {"scores": values, "target": sample.get("target"), "epoch": sample.get("epoch")}
    return draft_of(messages_of(messages, notes), notes, name, outcome=verdict, metadata=kept)


def _attached(value: Json, attachments: Mapping[str, Json]) -> Json:
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attachments.get(value.split("://", 1)[1], value)
    if isinstance(value, list):
        return [_attached(inner, attachments) for inner in value]
    if isinstance(value, dict):
        return {key: _attached(inner, attachments) for key, inner in value.items()}
    return value


INSPECT_AI = Format("inspect_ai", "inspect_ai logs (.eval and .json)", _detect, _read, lambda _: ())
