"""Traces in, recorded calls out: every answered call in order, its result parsed, errors told apart."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agent_gym.text import digest, parsed
from agent_gym.tool_mocker.depth import shallow
from agent_gym.types import Json, Trace

__all__ = ["Recorded", "bare", "by_tool", "is_refusal", "recorded_calls", "unwrapped", "wrapping_tools"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One answered call. `raw` is the result as the log has it, `result` the same with JSON text parsed."""

    conversation_id: str
    name: str
    arguments: Mapping[str, Json]
    key: bytes  # digest of the arguments
    raw: Json
    result: Json
    is_error: bool
    at: int = 0  # its place among the conversation's calls


def recorded_calls(trace: Trace) -> list[Recorded]:
    """The conversation's answered calls, in the order they were made."""
    found: list[Recorded] = []
    for call, answer in trace.calls():
        if answer is None:
            continue
        raw = answer.result if answer.result is not None else answer.content
        result = shallow(parsed(raw))
        is_error = answer.is_error or is_refusal(result)
        found.append(
            Recorded(
                trace.conversation_id,
                call.name,
                shallow(call.arguments),
                digest(call.arguments),
                raw,
                result,
                is_error,
                len(found),
            )
        )
    return found


def wrapping_tools(calls: Iterable[Recorded]) -> frozenset[str]:
    """Tools that answer with a list of one object, or of none: the object is what they tell."""
    answers: dict[str, list[Json]] = {}
    for call in calls:
        if not call.is_error:
            answers.setdefault(call.name, []).append(call.result)
    return frozenset(name for name, results in answers.items() if _wraps(results))


def _wraps(results: Sequence[Json]) -> bool:
    lists = [result for result in results if isinstance(result, list) and len(result) <= 1]
    objects = sum(len(result) == 1 and isinstance(result[0], Mapping) for result in lists)
    return len(lists) == len(results) and 2 * objects > len(results)


def unwrapped(calls: Iterable[Recorded], wrapping: frozenset[str]) -> list[Recorded]:
    """The same calls, with the one object of wrapping tools' answers in place of its list."""
    return [
        replace(call, result=bare(call.result)) if call.name in wrapping and not call.is_error else call
        for call in calls
    ]


def bare(result: Json) -> Json:
    return result[0] if isinstance(result, list) and len(result) == 1 else result


def by_tool(calls: Iterable[Recorded]) -> dict[str, list[Recorded]]:
    tools: dict[str, list[Recorded]] = {}
    for call in calls:
        tools.setdefault(call.name, []).append(call)
    return tools


_ERROR_TEXT = re.compile(r"\s*(?:error|exception|traceback|failed|failure|invalid)\b", re.IGNORECASE)
_ERROR_KEYS = ("error", "errors", "exception", "error_message")
_ERROR_STATUS = ("error", "failed", "failure")


def is_refusal(result: Json) -> bool:
    """Whether a result reports an error, for logs that do not mark it."""
    if isinstance(result, str):
        return _ERROR_TEXT.match(result) is not None
    if isinstance(result, Mapping):
        if any(result.get(key) for key in _ERROR_KEYS):
            return True
        return result.get("success") is False or str(result.get("status", "")).lower() in _ERROR_STATUS
    return False
