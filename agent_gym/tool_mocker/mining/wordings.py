"""Recorded errors in, wordings out: how these tools say that a request failed on its way, for faults to repeat."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from agent_gym.text import canonical
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Json

__all__ = ["FailureKind", "Wordings", "find_wordings"]

FailureKind = Literal["timeout", "rate_limit", "server_error"]
Wordings: TypeAlias = Mapping[tuple[str, FailureKind], Recorded]  # (tool, or "" for any, kind) → a recorded error

_LONGEST = 20_000  # bytes of an error: what it is about is said before that
_CODE = r"(?:http|status|code|error)[\W_]{0,4}(?:code\W{0,4})?"  # a bare 500 may be an amount
_LOOKS_LIKE: Mapping[FailureKind, re.Pattern[str]] = {
    "timeout": re.compile(rf"time[ds]?[ -]?out\b|deadline exceeded|{_CODE}(?:408|504)\b", re.IGNORECASE),
    "rate_limit": re.compile(rf"too many requests|rate[ _-]?limit|throttl|{_CODE}429\b", re.IGNORECASE),
    "server_error": re.compile(
        rf"internal (?:server )?error|service (?:temporarily )?unavailable|bad gateway|{_CODE}50[023]\b",
        re.IGNORECASE,
    ),
}


def find_wordings(errors: Iterable[Recorded]) -> Wordings:
    """The commonest recorded error that looks like each fault: of each tool, and of any tool under ""."""
    found: dict[tuple[str, FailureKind], list[Recorded]] = {}
    for error in errors:
        text = canonical(error.result)[:_LONGEST].decode(errors="ignore")
        for kind, pattern in _LOOKS_LIKE.items():
            if pattern.search(text):
                found.setdefault((error.name, kind), []).append(error)
                if not _names_its_call(text, error.arguments):
                    found.setdefault(("", kind), []).append(error)
                break
    return {place: _commonest(rows) for place, rows in sorted(found.items())}


def _names_its_call(text: str, arguments: Mapping[str, Json]) -> bool:
    """Whether the error repeats a value of its call: then it makes no sense for another tool."""
    return any(isinstance(v, str | int) and len(str(v)) > 1 and str(v) in text for v in arguments.values())


def _commonest(rows: Sequence[Recorded]) -> Recorded:
    counts = Counter(canonical(row.result) for row in rows)
    return max(rows, key=lambda row: counts[canonical(row.result)])
