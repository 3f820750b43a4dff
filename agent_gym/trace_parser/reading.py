"""What was read, counted while it streams by: records, conversations, formats, and what was noticed, by cause."""

from collections import Counter
from dataclasses import dataclass, field

from agent_gym.trace_parser.repairs import Reject

__all__ = ["Notice", "Reading"]

_EXAMPLE = 300  # characters of a record that stand for its cause


@dataclass(slots=True)
class Notice:
    """One cause of warnings: how often it was met, and the first place."""

    count: int
    source: str
    line: int | None
    example: str


@dataclass(slots=True)
class Reading:
    """The counter of one reading; `read_source` adds to it. `read` = `accepted` + `rejected`: nothing is lost.

    The three count records: lines, rows, items of an array. A conversation of a span log is made of many, so
    `conversations` is a number of its own.
    """

    accepted: int = 0
    rejected: int = 0
    conversations: int = 0
    formats: Counter[str] = field(default_factory=Counter)  # conversations by format name
    repairs: Counter[str] = field(default_factory=Counter)  # by name; `REPAIRS` says what they mean
    warnings: dict[str, Notice] = field(default_factory=dict)  # by cause
    rejects: dict[str, Notice] = field(default_factory=dict)  # by reason
    position: int = 0  # bytes read so far of all files; `size` is their sum, for a progress bar
    size: int = 0

    @property
    def read(self) -> int:
        return self.accepted + self.rejected

    def add(self, other: "Reading") -> None:
        """Counts what another reading has read; how far this one is stays its own."""
        self.accepted += other.accepted
        self.rejected += other.rejected
        self.conversations += other.conversations
        self.formats.update(other.formats)
        self.repairs.update(other.repairs)
        for ours, theirs in ((self.warnings, other.warnings), (self.rejects, other.rejects)):
            for cause, notice in theirs.items():
                _count(ours, cause, notice)

    def warn(self, cause: str, source: str, line: int | None, example: str = "", times: int = 1) -> None:
        _count(self.warnings, cause, Notice(times, source, line, example))

    def reject(self, reject: Reject) -> None:
        self.rejected += reject.records
        _count(
            self.rejects, reject.reason, Notice(reject.records, reject.source, reject.line, reject.record[:_EXAMPLE])
        )


def _count(notices: dict[str, Notice], cause: str, notice: Notice) -> None:
    if known := notices.get(cause):
        known.count += notice.count
    else:
        notices[cause] = notice
