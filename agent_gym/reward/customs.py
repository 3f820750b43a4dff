"""Successes in, customs out: what went before every write, which tools few of them used, how writes were reported,
which questions were never the last.

What goes before is a partial order; of the rest nothing is said.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from agent_gym.goals import QUESTION_MARKS
from agent_gym.reward.questions import Questions, questions_of
from agent_gym.reward.reports import Reports, reports_of
from agent_gym.types import Message, ToolCall, Trace

__all__ = ["Customs", "Made", "customs_of", "made_writes"]

_SEEN = 5  # so many writes of a tool say what its custom is
_ALWAYS = 0.95  # of them


@dataclass(frozen=True, slots=True)
class Made:
    """A write as it was asked for, with what went before it."""

    call: ToolCall
    earlier: frozenset[str]  # the tools called before
    asked: bool  # whether the customer had just answered a question of the agent's


@dataclass(frozen=True, slots=True)
class Customs:
    openers: frozenset[str] = frozenset()  # with one of these tools successes begin, before anything is written
    before: Mapping[str, frozenset[str]] = field(default_factory=dict)  # tool → tools that are called before it
    asked: frozenset[str] = frozenset()  # tools that are called only after a question to the customer
    successes: int = 0
    users: Mapping[str, int] = field(default_factory=dict)  # tool → how many successes called it
    reports: Reports = field(default_factory=Reports)
    questions: Questions = field(default_factory=Questions)

    @property
    def known(self) -> bool:
        return bool(self.openers or self.asked or any(self.before.values()))

    def rarity(self, tool: str) -> float:
        """0 for a tool that every success calls, and the more, the fewer do."""
        return max(0.0, math.log((self.successes + 1) / (self.users.get(tool, 0) + 0.5)))

    def broken(self, made: Made) -> list[str]:
        """What the write was made without."""
        faults = [name for name in sorted(self.before.get(made.call.name, ())) if name not in made.earlier]
        if self.openers and self.openers.isdisjoint(made.earlier):
            faults.append(" or ".join(sorted(self.openers)))
        if made.call.name in self.asked and not made.asked:
            faults.append("asking the customer")
        return faults


def customs_of(successes: Sequence[Trace], write_tools: frozenset[str]) -> Customs:
    writes: dict[str, list[Made]] = {}
    first: Counter[str] = Counter()
    users: Counter[str] = Counter()
    seen = 0
    for trace in successes:
        seen += 1
        users.update({call.name for message in trace.messages for call in message.tool_calls})
        made = list(made_writes(trace.messages, write_tools))
        for write in made:
            writes.setdefault(write.call.name, []).append(write)
        if made:
            first[next(call.name for message in trace.messages for call in message.tool_calls)] += 1
    known = {name: made for name, made in sorted(writes.items()) if len(made) >= _SEEN}
    return Customs(
        openers=_openers(first, write_tools),
        before={name: _always_before(made, write_tools) for name, made in known.items()},
        asked=frozenset(name for name, made in known.items() if _is_custom(sum(m.asked for m in made), len(made))),
        successes=seen,
        users=dict(sorted(users.items())),
        reports=reports_of(successes, write_tools),
        questions=questions_of(successes),
    )


def made_writes(messages: Sequence[Message], write_tools: frozenset[str]) -> Iterator[Made]:
    """Every write the agent asked for, carried out or not, in order."""
    earlier: set[str] = set()
    last_words, asked = "", False
    for message in messages:
        if message.role == "user":
            asked = any(mark in last_words for mark in QUESTION_MARKS)
        elif message.role == "assistant":
            last_words = message.text or last_words
            before = frozenset(earlier)
            for call in message.tool_calls:
                if call.name in write_tools:
                    yield Made(call, before, asked)
                earlier.add(call.name)


def _openers(first: Counter[str], write_tools: frozenset[str]) -> frozenset[str]:
    """The few tools that nearly every success with a write began with."""
    few = [name for name, _ in first.most_common(3)]
    covered = sum(first[name] for name in few)
    if first.total() < _SEEN or not _is_custom(covered, first.total()) or not write_tools.isdisjoint(few):
        return frozenset()
    return frozenset(few)


def _always_before(made: Sequence[Made], write_tools: frozenset[str]) -> frozenset[str]:
    counts = Counter(name for write in made for name in write.earlier if name not in write_tools)
    return frozenset(name for name, count in counts.items() if _is_custom(count, len(made)))


def _is_custom(count: int, of: int) -> bool:
    return count >= _ALWAYS * of
