"""Where a log keeps outcomes and ratings elsewhere, in; the trace with them, out: by JSON pointer, or a table by id."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from agent_gym.errors import OptionError, TraceError
from agent_gym.trace_parser.formats.format import Item
from agent_gym.types import Json, Trace

__all__ = ["Labels", "labels_of", "pointed"]

_IDS = ("conversation_id", "id", "trace_id", "session_id", "ticket_id")


@dataclass(frozen=True, slots=True)
class Labels:
    """What was asked for beside the format's own fields."""

    outcome: str | None = None
    satisfaction: str | None = None
    scale: tuple[float, float] | None = None
    table: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def onto(self, trace: Trace, items: Sequence[Item]) -> Trace:
        """The trace with the outcome and the rating they name; what it had before is kept where they name none."""
        if not (self.outcome or self.satisfaction or self.scale or self.table):
            return trace
        row = self.table.get(trace.conversation_id, {})
        outcome = row.get("outcome") or _outcome(_found(self.outcome, items))
        given = row.get("satisfaction_score") or row.get("satisfaction") or row.get("rating")
        raw = given or _found(self.satisfaction, items)
        noted = trace.metadata.get("satisfaction")
        if raw is None and self.scale and isinstance(noted, dict) and noted.get("scale") is None:
            raw = noted.get("raw")
        if outcome is not None:
            trace = replace(trace, outcome=outcome)
        if (number := _number(raw)) is None:
            return trace
        low, high = self.scale or (None, None)
        score = number if low is None or high is None else min(1.0, max(0.0, (number - low) / (high - low)))
        kept = {"raw": raw, "scale": None if low is None else f"{low:g}..{high:g}"}
        return replace(trace, satisfaction_score=score, metadata={**trace.metadata, "satisfaction": kept})


def labels_of(
    outcome: str | None,
    satisfaction: str | None,
    scale: tuple[float, float] | None,
    table: str | PathLike[str] | None,
) -> Labels:
    """Raises `OptionError` for a pointer or scale that is none, `TraceError` for a table that cannot be read."""
    for option, pointer in (("outcome", outcome), ("satisfaction", satisfaction)):
        if pointer is not None and not pointer.startswith("/"):
            raise OptionError(option, pointer, (f"/{pointer.replace('.', '/')}",), "is no JSON pointer")
    if scale is not None and not scale[0] < scale[1]:
        raise OptionError("scale", scale, ("1..5", "0..1", "0..10"), "has no lower and upper end")
    return Labels(outcome, satisfaction, scale, {} if table is None else _table(Path(table)))


def pointed(record: Json, pointer: str) -> Json:
    """What a JSON pointer points at; None for nothing."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(record, dict):
            record = record.get(key)
        elif isinstance(record, list) and key.isdigit() and int(key) < len(record):
            record = record[int(key)]
        else:
            return None
    return record


def _found(pointer: str | None, items: Sequence[Item]) -> Json:
    if pointer is None:
        return None
    return next((value for item in items if (value := pointed(item.value, pointer)) is not None), None)


def _outcome(value: Json) -> str | None:
    if value is None or isinstance(value, list | dict):
        return None
    return ("resolved" if value else "unresolved") if isinstance(value, bool) else str(value)


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return float(value)
    try:
        number = float(value) if isinstance(value, int | float | str) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _table(path: Path) -> dict[str, dict[str, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TraceError(
            str(path), None, f"the labels cannot be read: {error}", "give a CSV file with a header"
        ) from None
    key = next((key for key in _IDS if rows and key in rows[0]), None)
    if key is None:
        raise TraceError(str(path), None, f"no column names the conversation: {', '.join(_IDS)}", "rename its column")
    return {row[key]: {name: cell for name, cell in row.items() if name and cell} for row in rows if row.get(key)}
