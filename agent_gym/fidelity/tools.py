"""Tools and unseen conversations in, how often the tools would have answered right out.

The calls of a held-out conversation are made again, in order, in a session that never sees its results: the
session's state comes from its own answers, right or wrong, as it would in an episode.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from agent_gym.fidelity.compare import Compared, compared
from agent_gym.fidelity.verdict import verdict
from agent_gym.stats import Rate, bootstrap, rate
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.recorded import Recorded, recorded_calls
from agent_gym.types import Json, ToolAnswer, Trace

__all__ = ["Answerer", "Asked", "ToolFidelity", "ask_all", "measure_tools", "summary"]


class Answerer(Protocol):
    """Whatever can be asked a call: a session, or a baseline to hold it against."""

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> ToolAnswer: ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One held-out call: what was really answered, what the tools said, and how the two compare."""

    recorded: Recorded
    answer: ToolAnswer
    found: Compared
    after_write: bool


@dataclass(frozen=True, slots=True)
class ToolFidelity:
    """Rates over held-out calls. `interval` is a bootstrap over conversations, whose calls hang together."""

    calls: int
    exact: Rate
    field_f1: float
    right_type: Rate
    error_agreement: Rate
    after_write: Rate
    by_source: Mapping[str, Rate]
    by_tool: Mapping[str, Rate]
    interval: tuple[float, float]
    field_f1_interval: tuple[float, float]
    confidence_error: float  # mean distance between stated confidence and the share that was right, by source

    def to_dict(self) -> dict[str, Json]:
        """Every rate as a number, with its 95 % interval beside it."""
        return {
            "calls": self.calls,
            "exact": self.exact.value,
            "exact_interval": list(self.interval),
            "field_f1": self.field_f1,
            "field_f1_interval": list(self.field_f1_interval),
            **_with_interval("type", self.right_type),
            **_with_interval("error_agreement", self.error_agreement),
            "after_write": {"calls": self.after_write.n, **_with_interval("exact", self.after_write)},
            "by_source": {
                source: {"calls": right.n, **_with_interval("exact", right)} for source, right in self.by_source.items()
            },
            "by_tool": {
                tool: {"calls": right.n, **_with_interval("exact", right)} for tool, right in self.by_tool.items()
            },
            "confidence_error": self.confidence_error,
            "verdict": verdict(self.by_tool).to_dict(),
        }


def _with_interval(name: str, found: Rate) -> dict[str, Json]:
    return {name: found.value, f"{name}_interval": [found.low, found.high]}


def measure_tools(
    mocker: ToolMocker, held_out: Iterable[Trace], anchor: Callable[[Trace], str | None] = lambda _: None
) -> ToolFidelity:
    """Ask the tools every call of the held-out conversations; `anchor` names a recorded case to play it in."""
    return summary(ask_all(mocker, held_out, lambda trace: mocker.session(anchor(trace))))


def ask_all(mocker: ToolMocker, held_out: Iterable[Trace], session: Callable[[Trace], Answerer]) -> list[list[Asked]]:
    """Every held-out call with its answer, by conversation."""
    return [_ask(trace, session(trace), mocker.write_tools) for trace in held_out]


def _ask(trace: Trace, session: Answerer, write_tools: frozenset[str]) -> list[Asked]:
    asked, wrote = [], False
    for call in recorded_calls(trace):
        answer = session.call(call.name, call.arguments)
        asked.append(Asked(call, answer, compared(answer, call), wrote))
        wrote = wrote or (call.name in write_tools and not call.is_error)
    return asked


def summary(conversations: list[list[Asked]]) -> ToolFidelity:
    rows = [row for conversation in conversations for row in conversation]
    exact = [[float(row.found.exact) for row in conversation] for conversation in conversations if conversation]
    return ToolFidelity(
        calls=len(rows),
        exact=_rate(row.found.exact for row in rows),
        field_f1=sum(row.found.field_f1 for row in rows) / len(rows) if rows else float("nan"),
        right_type=_rate(row.found.right_type for row in rows),
        error_agreement=_rate(row.found.error_agrees for row in rows),
        after_write=_rate(row.found.exact for row in rows if row.after_write),
        by_source=_by(rows, lambda row: row.answer.source),
        by_tool=_by(rows, lambda row: row.recorded.name),
        interval=_interval(exact),
        field_f1_interval=_interval([[row.found.field_f1 for row in talk] for talk in conversations if talk]),
        confidence_error=_confidence_error(rows),
    )


def _interval(groups: list[list[float]]) -> tuple[float, float]:
    return bootstrap(groups) if groups else (float("nan"), float("nan"))


def _by(rows: Iterable[Asked], name: Callable[[Asked], str]) -> dict[str, Rate]:
    groups: dict[str, list[bool]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row.found.exact)
    return {group: _rate(hits) for group, hits in sorted(groups.items())}


def _rate(hits: Iterable[bool]) -> Rate:
    found = list(hits)
    return rate(sum(found), len(found))


def _confidence_error(rows: list[Asked]) -> float:
    """Over ten bins of stated confidence: the mean distance from the share that was right."""
    bins: dict[int, list[Asked]] = {}
    for row in rows:
        bins.setdefault(min(9, int(row.answer.confidence * 10)), []).append(row)
    total = sum(
        abs(sum(r.answer.confidence for r in group) - sum(r.found.exact for r in group)) for group in bins.values()
    )
    return total / len(rows) if rows else float("nan")
