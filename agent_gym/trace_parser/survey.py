"""Conversations and rejects in, one after the other; what a log holds and what is wrong with it out."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from agent_gym.trace_parser.reading import Notice, Reading
from agent_gym.trace_parser.repairs import REPAIRS, Reject
from agent_gym.trace_parser.tongues import language_of
from agent_gym.types import Json, Trace

__all__ = ["Problem", "Survey", "ToolUse"]

_WHEN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\b\d+\b")  # what differs between two reasons of one cause
_EARLIEST, _LATEST = 946_684_800, 4_102_444_800  # seconds from 2000 to 2100: other numbers are no times
_READ = 2_000  # characters of a conversation that its language is told by


@dataclass(slots=True)
class ToolUse:
    """How often a tool was called, said no, and was never heard of again."""

    calls: int = 0
    errors: int = 0
    unanswered: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """One cause: how often, the first place, an example, and what to do."""

    cause: str
    count: int
    where: str
    example: str
    fix: str


@dataclass(slots=True)
class Survey:
    """Counts while traces stream by; memory grows with the different tools, outcomes and causes only."""

    conversations: int = 0
    messages: int = 0
    roles: Counter[str] = field(default_factory=Counter)
    tools: dict[str, ToolUse] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    ratings: Counter[float] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    first: str | None = None
    last: str | None = None
    _problems: dict[str, Problem] = field(default_factory=dict)

    def add(self, trace: Trace) -> None:
        self.conversations += 1
        self.messages += len(trace.messages)
        self.roles.update(message.role for message in trace.messages)
        if trace.outcome is not None:
            self.outcomes[trace.outcome] += 1
        if trace.satisfaction_score is not None:
            self.ratings[round(trace.satisfaction_score, 2)] += 1
        for call, result in trace.calls():
            use = self.tools.setdefault(call.name, ToolUse())
            use.calls += 1
            use.errors += result is not None and result.is_error
            use.unanswered += result is None
        customer = " ".join(message.text for message in trace.messages if message.role == "user")
        if customer.strip():
            self.languages[language_of(customer[:_READ])] += 1
        else:
            self._note(
                "no customer says anything",
                trace.conversation_id,
                "no scenario can be made of it: check that the export holds the customer's side",
            )
        if len(trace.messages) > 1 and trace.messages[-1].tool_calls:
            self._note(
                "it ends on a tool call", trace.conversation_id, "check that the export holds whole conversations"
            )
        for moment in sorted(_moments(trace.metadata)):
            self.first = min(self.first or moment, moment)
            self.last = max(self.last or moment, moment)

    def refuse(self, reject: Reject) -> None:
        where = reject.source if reject.line is None else f"{reject.source}:{reject.line}"
        cause = _VARIABLE.sub("…", reject.reason)
        self._count(Problem(cause, reject.records, where, reject.reason, reject.fix))

    def problems(self, reading: Reading | None = None) -> list[Problem]:
        """Everything that somebody should look at, the most frequent first."""
        found = [*self._problems.values(), *self._absences()]
        if reading is not None:
            found += [_warned(cause, notice) for cause, notice in reading.warnings.items()]
        return sorted(found, key=lambda problem: (-problem.count, problem.cause))

    def to_dict(self, reading: Reading | None = None) -> dict[str, Json]:
        rated = sum(self.ratings.values())
        counts = {"read": reading.read, "accepted": reading.accepted, "rejected": reading.rejected} if reading else {}
        return {
            **counts,
            "conversations": self.conversations,
            "messages": self.messages,
            "formats": dict(reading.formats.most_common()) if reading else {},
            "roles": dict(self.roles.most_common()),
            "tools": {
                name: {
                    "calls": use.calls,
                    "errors": use.errors,
                    "error_rate": round(use.errors / use.calls, 4),
                    "unanswered": use.unanswered,
                }
                for name, use in sorted(self.tools.items(), key=lambda item: (-item[1].calls, item[0]))
            },
            "outcomes": {**dict(self.outcomes.most_common())},
            "without_outcome": self.conversations - self.outcomes.total(),
            "ratings": {
                "n": rated,
                "mean": round(sum(value * n for value, n in self.ratings.items()) / rated, 4) if rated else None,
                "values": {f"{value:g}": n for value, n in sorted(self.ratings.items())},
            },
            "languages": dict(self.languages.most_common()),
            "dates": {"first": self.first, "last": self.last},
            "problems": [
                {"cause": p.cause, "count": p.count, "where": p.where, "example": p.example, "fix": p.fix}
                for p in self.problems(reading)
            ],
            "repairs": {
                name: {"count": n, "meaning": REPAIRS.get(name, "")}  # type: ignore[call-overload]  # names of notes
                for name, n in (sorted(reading.repairs.items()) if reading else ())
            },
        }

    def _note(self, cause: str, conversation_id: str, fix: str) -> None:
        self._count(Problem(cause, 1, f"conversation {conversation_id}", "", fix))

    def _count(self, problem: Problem) -> None:
        known = self._problems.get(problem.cause)
        if known is not None:
            problem = Problem(known.cause, known.count + problem.count, known.where, known.example, known.fix)
        self._problems[problem.cause] = problem

    def _absences(self) -> Iterator[Problem]:
        """What a gym wants and this log does not have."""
        if self.conversations and not self.outcomes and not self.ratings:
            fix = "name the field with --outcome or --satisfaction, or join a file with --labels"
            yield Problem("no conversation says how it ended", self.conversations, "", "", fix)
        lost = sum(use.unanswered for use in self.tools.values())
        if lost:
            worst = max(self.tools.items(), key=lambda item: (item[1].unanswered, item[0]))[0]
            fix = "check that the export includes tool results; a call without one teaches nothing about its tool"
            yield Problem("a tool call has no result", lost, f"a call of {worst}, the tool that lacks most", "", fix)


def _warned(cause: str, notice: Notice) -> Problem:
    where = notice.source if notice.line is None else f"{notice.source}:{notice.line}"
    return Problem(cause, notice.count, where, notice.example, "")


def _moments(metadata: Mapping[str, Json]) -> Iterator[str]:
    """Times in the metadata, in UTC where they say so, by their own form: text in ISO 8601, or seconds since 1970."""
    for value in _leaves(metadata.items(), 2):
        if isinstance(value, str) and _WHEN.fullmatch(value):
            yield value.replace(" ", "T")[:19]
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if value > _LATEST else value
            if _EARLIEST <= seconds < _LATEST:
                yield datetime.fromtimestamp(seconds, UTC).isoformat()[:19]


def _leaves(items: Iterable[tuple[str, Json]], deeper: int) -> Iterator[Json]:
    for key, value in items:
        words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower())
        if isinstance(value, Mapping):
            if deeper:
                yield from _leaves(value.items(), deeper - 1)
        elif {"time", "date", "at", "on", "created", "started", "updated", "timestamp", "start", "end"} & set(words):
            yield value
