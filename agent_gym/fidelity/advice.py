"""What was measured of each tool in, what data would help most out: the greatest gain first, then the least work."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from agent_gym.fidelity.growth import Growth
from agent_gym.fidelity.verdict import ENOUGH, place_of
from agent_gym.stats import Rate
from agent_gym.types import Json

__all__ = ["Advice", "Branch", "advised"]

_GOOD = 0.95  # above it, a tool has nothing to gain that anybody would notice


@dataclass(frozen=True, slots=True)
class Branch:
    """The answers or the refusals of one tool: how many the log holds, and how often unseen ones were right."""

    tool: str
    kind: Literal["answers", "refusals"]
    recorded: int
    right: Rate


@dataclass(frozen=True, slots=True)
class Advice:
    """`examples` more of the tool's calls, and what they should bring, as a share of all calls; None: not known."""

    tool: str
    words: str
    examples: int | None
    gain: float | None

    def to_dict(self) -> dict[str, Json]:
        return {"tool": self.tool, "words": self.words, "examples": self.examples, "gain": self.gain}


def advised(by_tool: Mapping[str, Rate], growth: Iterable[Growth], branches: Iterable[Branch]) -> tuple[Advice, ...]:
    """One advice at most for each tool that is not good enough."""
    curves = {curve.tool: curve for curve in growth}
    rare = {branch.tool: branch for branch in branches if _is_rare(branch)}
    calls = sum(right.n for right in by_tool.values())
    found = [
        _advice(tool, right, curves[tool], rare.get(tool), calls)
        for tool, right in sorted(by_tool.items())
        if tool in curves and (right.n < ENOUGH or right.value < _GOOD)
    ]
    return tuple(sorted(found, key=lambda one: (-(one.gain or 0.0), one.examples or math.inf, one.tool)))


def _is_rare(branch: Branch) -> bool:
    return branch.kind == "refusals" and branch.recorded < ENOUGH and branch.right.n > 0 and branch.right.value < _GOOD


def _advice(tool: str, right: Rate, curve: Growth, rare: Branch | None, calls: int) -> Advice:
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
    if rare is not None:
        words = (
            f"{tool}: its refusals are rare, {rare.recorded} in the log, and {rare.right.value:.0%} of {rare.right.n} "
            f"unseen ones were right; about {ENOUGH - rare.recorded} more refused calls would help"
        )
        return Advice(tool, words, ENOUGH - rare.recorded, None)
    words = (
        f"{tool}: {right.value:.0%} right, and twice the log brought nothing that can be told from chance: "
        "what it answers from is not in the conversations"
    )
    return Advice(tool, words, None, None)
