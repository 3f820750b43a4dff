"""Measured tools in, a verdict in words out: what is safe to train on, where evidence is thin, what cannot be known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.stats import Rate
from agent_gym.types import Json

__all__ = ["ENOUGH", "PLACES", "Verdict", "place_of", "verdict", "verdict_words"]

# place → what it is called, and what would help
PLACES: Mapping[str, tuple[str, str]] = {
    "safe": ("safe to train on", ""),
    "usable": ("usable, with care", ""),
    "thin": ("thin evidence", "record more conversations that use them"),
    "weak": ("not learnable from this log", "more of the same will not help: their answers are not in it"),
}

ENOUGH = 20  # calls before a share says something of a tool
_SAFE = 0.9
_WEAK = 0.6


@dataclass(frozen=True, slots=True)
class Verdict:
    """Every tool that was asked about, in one of four places; the least sure first in each."""

    safe: tuple[str, ...]
    usable: tuple[str, ...]
    thin: tuple[str, ...]
    weak: tuple[str, ...]

    def words(self) -> tuple[str, ...]:
        return verdict_words(self.to_dict())

    def to_dict(self) -> dict[str, Json]:
        return {place: list(getattr(self, place)) for place in PLACES}


def verdict_words(found: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A line for each place that holds tools; `found` is what `Verdict.to_dict` gives."""
    lines = []
    for place, (name, advice) in PLACES.items():
        if found.get(place):
            lines.append(f"{name}: {', '.join(found[place])}{f' ({advice})' if advice else ''}")
    return tuple(lines)


def verdict(by_tool: Mapping[str, Rate]) -> Verdict:
    """By how often each tool's answers to unseen calls were exactly right, and on how many calls that rests."""
    places: dict[str, list[tuple[float, str]]] = {place: [] for place in PLACES}
    for tool, right in sorted(by_tool.items()):
        place = place_of(right)
        note = {"safe": "", "thin": f" ({right.n} calls)"}.get(place, f" ({right.value:.0%} right)")
        places[place].append((right.n if place == "thin" else right.value, f"{tool}{note}"))
    return Verdict(**{place: tuple(words for _, words in sorted(found)) for place, found in places.items()})


def place_of(right: Rate) -> str:
    """safe, usable, thin or weak: how far one tool's answers can be trusted."""
    if right.n < ENOUGH:
        return "thin"
    return "weak" if right.value < _WEAK else "safe" if right.value >= _SAFE else "usable"
