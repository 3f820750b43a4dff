"""Tools and unseen conversations in, how often the tools would have answered right out.

The calls of a held-out conversation are made again, in order, in a session that never sees its results: the
session's state comes from its own answers, right or wrong, as it would in an episode.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from agent_gym.fidelity.advice import Advice
from agent_gym.fidelity.compare import Compared, compared
from agent_gym.fidelity.growth import Growth
from agent_gym.fidelity.verdict import place_of, verdict
from agent_gym.stats import Bin, Rate, bootstrap, calibration_curve, calibration_error, grouped_rate
from agent_gym.tool_mocker import ToolMocker
from agent_gym.tool_mocker.log import Recorded, recorded_calls
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
    """Rates over held-out calls, each with an interval that draws whole conversations: their calls hang together."""

    calls: int
    exact: Rate
    field_f1: float
    field_f1_interval: tuple[float, float]
    right_type: Rate
    error_agreement: Rate
    after_write: Rate
    by_source: Mapping[str, Rate]
    by_tool: Mapping[str, Rate]
    confidence: tuple[Bin, ...]  # of the answers with such a stated confidence, how many were right
    confidence_error: float  # the mean distance between the two
    beside: Mapping[str, Rate] = field(default_factory=dict)  # how often simpler ways to answer were exactly right
    growth: tuple[Growth, ...] = ()  # what each tool gained from more of the log
    advice: tuple[Advice, ...] = ()  # what data would help most

    def to_dict(self) -> dict[str, Json]:
        """Every rate as a number, with its 95 % interval beside it."""
        return {
            **_rate_dict(self.exact),
            "field_f1": self.field_f1,
            "field_f1_interval": list(self.field_f1_interval),
            **_with_interval("type", self.right_type),
            **_with_interval("error_agreement", self.error_agreement),
            "after_write": _rate_dict(self.after_write),
            "by_source": {source: _rate_dict(right) for source, right in self.by_source.items()},
            "by_tool": {
                tool: {**_rate_dict(right), "verdict": place_of(right)} for tool, right in self.by_tool.items()
            },
            "confidence": [{"stated": row.stated, "right": row.true, "calls": row.n} for row in self.confidence],
            "confidence_error": self.confidence_error,
            "beside": {name: _rate_dict(right) for name, right in self.beside.items()},
            "growth": {one.tool: one.to_dict() for one in self.growth},
            "verdict": verdict(self.by_tool).to_dict(),
            "advice": [one.to_dict() for one in self.advice],
        }


def _rate_dict(found: Rate) -> dict[str, Json]:
    return {"calls": found.n, **_with_interval("exact", found)}


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


def summary(conversations: Sequence[Sequence[Asked]]) -> ToolFidelity:
    rows = [row for conversation in conversations for row in conversation]
    right, stated = [row.found.exact for row in rows], [row.answer.confidence for row in rows]
    return ToolFidelity(
        calls=len(rows),
        exact=_rate(conversations, lambda row: row.found.exact),
        field_f1=sum(row.found.field_f1 for row in rows) / len(rows) if rows else float("nan"),
        field_f1_interval=_interval([[row.found.field_f1 for row in talk] for talk in conversations if talk]),
        right_type=_rate(conversations, lambda row: row.found.right_type),
        error_agreement=_rate(conversations, lambda row: row.found.error_agrees),
        after_write=_rate(conversations, lambda row: row.found.exact, lambda row: row.after_write),
        by_source=_by(conversations, lambda row: row.answer.source),
        by_tool=_by(conversations, lambda row: row.recorded.name),
        confidence=tuple(calibration_curve(right, stated)) if rows else (),
        confidence_error=calibration_error(right, stated) if rows else float("nan"),
    )


def _interval(groups: list[list[float]]) -> tuple[float, float]:
    return bootstrap(groups) if groups else (float("nan"), float("nan"))


def _by(conversations: Sequence[Sequence[Asked]], name: Callable[[Asked], str]) -> dict[str, Rate]:
    names = sorted({name(row) for conversation in conversations for row in conversation})
    return {each: _rate(conversations, lambda row: row.found.exact, partial(_is, name, each)) for each in names}


def _is(name: Callable[[Asked], str], wanted: str, row: Asked) -> bool:
    return name(row) == wanted


def _rate(
    conversations: Sequence[Sequence[Asked]],
    hit: Callable[[Asked], bool],
    counts: Callable[[Asked], bool] = lambda _: True,
) -> Rate:
    return grouped_rate([[hit(row) for row in conversation if counts(row)] for conversation in conversations])
