"""What was measured of each tool in, what data would help most out: the greatest gain first, then the least work."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.fidelity.growth import Growth
from agent_gym.fidelity.verdict import ENOUGH, place_of
from agent_gym.stats import Rate
from agent_gym.types import Json

__all__ = ["Advice", "Refusals", "advised"]

_GOOD = 0.95  # above it, a tool has nothing to gain that anybody would notice


class Refusals(NamedTuple):
    """How many refusals of a tool the log holds, and how often unseen ones were foretold right."""

    recorded: int
    right: Rate

    @property
    def rare(self) -> bool:
        return self.recorded < ENOUGH and self.right.value < _GOOD


@dataclass(frozen=True, slots=True)
class Advice:
    """`examples` more of the tool's calls, and what they should bring, as a share of all calls; None: not known."""

    tool: str
    words: str
    examples: int | None
    gain: float | None

    def to_dict(self) -> dict[str, Json]:
        return {"tool": self.tool, "words": self.words, "examples": self.examples, "gain": self.gain}


def advised(
    by_tool: Mapping[str, Rate], growth: Iterable[Growth], refusals: Mapping[str, Refusals]
) -> tuple[Advice, ...]:
    """One advice at most for each tool that is not good enough."""
    curves = {curve.tool: curve for curve in growth}
    calls = sum(right.n for right in by_tool.values())
    found = [
        _advice(tool, right, curves[tool], refusals.get(tool), calls)
        for tool, right in sorted(by_tool.items())
        if tool in curves and (right.n < ENOUGH or right.value < _GOOD)
    ]
    return tuple(sorted(found, key=lambda one: (-(one.gain or 0.0), one.examples or math.inf, one.tool)))


def _advice(tool: str, right: Rate, curve: Growth, refused: Refusals | None, calls: int) -> Advice:
    recorded = curve.steps[-1].examples
    if place_of(right) == "thin":
        # As many unseen calls as a verdict takes, at the share of the log that is held out.
        more = math.ceil(ENOUGH * max(1, recorded) / right.n) - recorded if right.n else ENOUGH
        more = max(1, more)
        return Advice(tool, f"{tool}: {recorded} recorded calls; about {more} more would allow a verdict", more, None)
    if curve.grows:
        share = right.n / calls
        words = (
            f"{tool}: {right.value:.0%} right on {recorded:,} recorded calls; the last doubling brought "
            f"{100 * curve.gain:+.0f} points [{100 * curve.low:+.0f}, {100 * curve.high:+.0f}]: as many again should "
            f"bring about as much"
        )
        return Advice(tool, words, recorded, curve.gain * share)
    if refused is not None and refused.rare:
        words = (
            f"{tool}: its refusals are rare, {refused.recorded} in the log, and {refused.right.value:.0%} of "
            f"{refused.right.n} unseen ones were right; about {ENOUGH - refused.recorded} more refused calls would help"
        )
        return Advice(tool, words, ENOUGH - refused.recorded, None)
    words = (
        f"{tool}: {right.value:.0%} right, and twice the log brought nothing that can be told from chance: "
        "what it answers from is not in the conversations"
    )
    return Advice(tool, words, None, None)
