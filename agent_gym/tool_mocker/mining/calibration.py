"""Conversations in, how often each kind of answer is right out: what `confidence` means.

The world is mined from one half of the conversations and asked the calls of the other, and the other way
round. An answer's confidence is the share of its tool's answers from the same source that were right there,
drawn towards the share over all tools where there are few, and a little towards one half.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from agent_gym.text import canonical, parsed
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.types import Source, ToolAnswer

__all__ = ["Calibration", "Tally", "calibrated", "halves"]

Tally = tuple[int, int]  # right, asked
Ask = Callable[[Sequence[Recorded]], Iterable[ToolAnswer]]  # a conversation's calls → the answers a session gives

_PRIOR = 4.0  # how many answers the share over all tools counts for
_DOUBT = 1.0  # and how many an even chance counts for


@dataclass(frozen=True, slots=True)
class Calibration:
    """Held-out tallies by tool and source."""

    tallies: Mapping[tuple[str, Source], Tally]
    by_source: Mapping[Source, Tally]

    @classmethod
    def of(cls, tallies: Mapping[tuple[str, Source], Tally]) -> Self:
        totals: dict[Source, Tally] = {}
        for (_, source), (right, asked) in tallies.items():
            before = totals.get(source, (0, 0))
            totals[source] = (before[0] + right, before[1] + asked)
        return cls(tallies, totals)

    def confidence(self, tool: str, source: Source) -> float:
        """How often such an answer is right; an even chance where nothing like it was ever checked."""
        right, asked = self.tallies.get((tool, source), (0, 0))
        all_right, all_asked = self.by_source.get(source, (0, 0))
        overall = (all_right + 0.5 * _DOUBT) / (all_asked + _DOUBT)
        return (right + overall * _PRIOR) / (asked + _PRIOR)


def halves(conversations: Sequence[Sequence[Recorded]]) -> tuple[list[Sequence[Recorded]], list[Sequence[Recorded]]]:
    """Two halves, by a hash of the conversation's id: the same whatever the order."""
    parts: tuple[list[Sequence[Recorded]], list[Sequence[Recorded]]] = ([], [])
    for calls in conversations:
        parts[hashlib.sha256(calls[0].conversation_id.encode()).digest()[0] % 2].append(calls)
    return parts


def calibrated(folds: Iterable[tuple[Ask, Sequence[Sequence[Recorded]]]], most: int) -> Calibration:
    """Tallies over folds: each the sessions of a world, and conversations it was not mined from; `most` calls each."""
    tallies: dict[tuple[str, Source], list[int]] = {}
    for ask, conversations in folds:
        asked = 0
        for calls in conversations:
            if asked >= most:
                break
            asked += len(calls)
            for call, answer in zip(calls, ask(calls), strict=True):
                tally = tallies.setdefault((call.name, answer.source), [0, 0])
                tally[0] += canonical(parsed(answer.result)) == canonical(call.result)
                tally[1] += 1
    return Calibration.of({key: (right, asked) for key, (right, asked) in sorted(tallies.items())})
