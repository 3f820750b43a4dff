"""Held-out tallies in, the confidence of an answer out.

An answer's confidence is the share of its tool's answers from the same source that were right when the world
was validated, drawn towards the share over all tools where there are few, and a little towards one half.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from agent_gym.types import Source

__all__ = ["Calibration", "Checked"]

_PRIOR = 4.0  # how many answers the share over all tools counts for
_DOUBT = 1.0  # and how many an even chance counts for


class Checked(NamedTuple):
    """How many answers were compared with the record, and how many of them were the same."""

    right: int
    asked: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What validation found, by tool and source, and by source alone."""

    by_tool: Mapping[tuple[str, Source], Checked]
    by_source: Mapping[Source, Checked]

    @classmethod
    def of(cls, by_tool: Mapping[tuple[str, Source], Checked]) -> Self:
        totals: dict[Source, Checked] = {}
        for (_, source), checked in by_tool.items():
            total = totals.get(source, Checked(0, 0))
            totals[source] = Checked(total.right + checked.right, total.asked + checked.asked)
        return cls(by_tool, totals)

    def confidence(self, tool: str, source: Source) -> float:
        """How often such an answer is right; an even chance where nothing like it was ever checked."""
        own = self.by_tool.get((tool, source), Checked(0, 0))
        total = self.by_source.get(source, Checked(0, 0))
        overall = (total.right + 0.5 * _DOUBT) / (total.asked + _DOUBT)
        return (own.right + overall * _PRIOR) / (own.asked + _PRIOR)
