"""LangSmith: runs as exported or queried, and raw ingestion bodies, whose two halves are joined on the id."""

from collections.abc import Iterator, Sequence
from typing import Final

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.dialects.exchange import given_messages, said_messages
from agent_gym.trace_parser.formats.format import Draft, Format, Group, share
from agent_gym.trace_parser.formats.traced import drafts_of, from_json, text_of
from agent_gym.trace_parser.stitch import Span
from agent_gym.trace_parser.stitch.span import Kind
from agent_gym.trace_parser.values import name_of, objects
from agent_gym.types import Json

__all__ = ["LANGSMITH"]

_KINDS: Final[dict[str, Kind]] = {"llm": "llm", "tool": "tool"}
_THREAD: Final = ("session_id", "thread_id", "conversation_id")


def _is_run(record: dict[str, Json]) -> bool:
    return "run_type" in record and ("inputs" in record or "outputs" in record or "dotted_order" in record)


def _is_body(record: dict[str, Json]) -> bool:
    halves = [*objects(record.get("post")), *objects(record.get("patch"))]
    return bool(halves) and all("dotted_order" in half or "run_type" in half or "trace_id" in half for half in halves)


def _detect(records: Sequence[Json]) -> float:
    return 0.94 * share(records, lambda record: _is_run(record) or _is_body(record))


def _runs(record: Json) -> list[dict[str, Json]]:
    """The runs of a record, those nested in others too."""
    if not isinstance(record, dict):
        return []
    if _is_body(record):
        posted = objects(record.get("post"))
        ids = [run.get("id") for run in posted]
        patched = [
            {"id": ids[at] if at < len(ids) else None, **patch} for at, patch in enumerate(objects(record.get("patch")))
        ]
        return [*posted, *patched]
    return [record, *(run for child in objects(record.get("child_runs")) for run in _runs(child))]


def _thread(run: dict[str, Json]) -> str | None:
    """The chat that a run belongs to. The run's own `session_id` is the project, not the chat."""
    extra = run.get("extra")
    metadata = extra.get("metadata") if isinstance(extra, dict) else None
    if not isinstance(metadata, dict):
        return None
    return next((metadata[key] for key in _THREAD if isinstance(metadata.get(key), str) and metadata[key]), None)


def _keys(record: Json) -> list[str]:
    keys: list[str] = []
    for run in _runs(record):
        trace, thread = run.get("trace_id") or run.get("id"), _thread(run)
        keys += [f"trace {trace}"] if isinstance(trace, str) else []
        keys += [f"thread {thread}"] if thread else []
    return list(dict.fromkeys(keys))


def _read(group: Group) -> Iterator[Draft]:
    runs: dict[str, dict[str, Json]] = {}
    for run in (run for record in group.values for run in _runs(record)):
        known = runs.setdefault(str(run.get("id")), {})
        known |= {key: value for key, value in run.items() if value not in (None, {}, [])}
    notes = Notes()
    spans = [_span(name, run) for name, run in runs.items()]
    ordered = sorted(runs.values(), key=lambda run: text_of(run.get("dotted_order") or run.get("start_time")))
    root = next((run for run in ordered if not run.get("parent_run_id")), ordered[0] if ordered else {})
    traces = {span.trace for span in spans}
    thread = next((found for run in ordered if (found := _thread(run))), None)
    name = thread if thread and len(traces) > 1 else root.get("trace_id") or root.get("id")
    if any("s3_urls" in key for run in ordered for key in run if run[key]):
        notes.warn("content was moved to other storage and is missing from this export")
    score, kept = _feedback(ordered)
    yield from drafts_of(
        spans, notes, str(name) if name else None,
        opening=given_messages(from_json(root.get("inputs")), Notes()),
        closing=said_messages(from_json(root.get("outputs")), Notes()),
        satisfaction_score=score,
        metadata={**({"thread_id": thread} if thread else {}), **kept},
    )  # fmt: skip


def _span(name: str, run: dict[str, Json]) -> Span:
    kind = _KINDS.get(str(run.get("run_type")), "other")
    given, said = from_json(run.get("inputs")), from_json(run.get("outputs"))
    is_model = kind == "llm"
    error = run.get("error")
    answer = said.get("id") if isinstance(said, dict) else None
    return Span(
        name, kind, str(run.get("name") or ""), name_of(run.get("parent_run_id")),
        text_of(run.get("dotted_order") or run.get("start_time")), str(run.get("trace_id") or name),
        asked=given if is_model else None,
        answered=said if is_model else None,
        call_id=_call_id(said),
        arguments=None if is_model else from_json(given.get("input", given)) if isinstance(given, dict) else given,
        result=None if is_model else _result(said, error),
        is_error=bool(error),
        answer_id=answer if is_model and isinstance(answer, str) else "",
    )  # fmt: skip


def _message(said: Json) -> dict[str, Json]:
    output = said.get("output", said) if isinstance(said, dict) else None
    if isinstance(output, dict):
        return output["kwargs"] if isinstance(output.get("kwargs"), dict) else output
    return {}


def _call_id(said: Json) -> str:
    call_id = _message(said).get("tool_call_id")
    return call_id if isinstance(call_id, str) else ""


def _result(said: Json, error: Json) -> Json:
    if said is None:
        return error
    message = _message(said)
    if "content" in message:
        return message["content"]
    return said.get("output", said) if isinstance(said, dict) else said


def _feedback(runs: Sequence[dict[str, Json]]) -> tuple[float | None, dict[str, Json]]:
    stats = next((run["feedback_stats"] for run in runs if isinstance(run.get("feedback_stats"), dict)), None)
    if not isinstance(stats, dict):
        return None, {}
    given = stats.get("user_score")
    average = given.get("avg") if isinstance(given, dict) else None
    if isinstance(average, int | float) and 0 <= average <= 1:
        return float(average), {
            "feedback": stats,
            "satisfaction": {"raw": average, "scale": "0..1", "from": "user_score"},
        }
    return None, {"feedback": stats}


LANGSMITH = Format("langsmith", "LangSmith runs and ingestion bodies", _detect, _read, _keys)
