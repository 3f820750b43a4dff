"""The same unseen calls asked of tools mined from ever more of a log in, what more of it would bring out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agent_gym.stats import Rate, bootstrap, grouped_rate
from agent_gym.types import Json

__all__ = ["Growth", "Hits", "Step", "grown"]

Hits = Sequence[Sequence[bool]]  # by conversation: whether each call of one tool was answered exactly right


class Step(NamedTuple):
    """So many recorded calls of the tool, and how often it was then right."""

    examples: int
    right: Rate


@dataclass(frozen=True, slots=True)
class Growth:
    """One tool's curve. `gain` is what the last doubling of the log brought, with its interval."""

    tool: str
    steps: tuple[Step, ...]
    gain: float
    low: float
    high: float

    @property
    def grows(self) -> bool:
        """Whether more than chance speaks for more data."""
        return self.low > 0

    def to_dict(self) -> dict[str, Json]:
        steps = [{"examples": step.examples, "exact": step.right.value, "calls": step.right.n} for step in self.steps]
        return {"steps": steps, "gain": self.gain, "gain_interval": [self.low, self.high]}


def grown(tool: str, sizes: Sequence[int], hits: Sequence[Hits]) -> Growth:
    """`sizes` and `hits` of each part of the log, the last two being its half and the whole."""
    steps = tuple(Step(size, grouped_rate(found)) for size, found in zip(sizes, hits, strict=True))
    half, whole = hits[-2:]
    moved = [[float(b) - float(a) for a, b in zip(x, y, strict=True)] for x, y in zip(half, whole, strict=True) if y]
    low, high = bootstrap(moved) if moved else (float("nan"), float("nan"))
    return Growth(tool, steps, steps[-1].right.value - steps[-2].right.value, low, high)
