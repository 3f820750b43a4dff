"""What the parts found, each asked when it is first needed and never twice."""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from agent_gym.reward.finding import Finding

__all__ = ["Findings"]

Judged = TypeVar("Judged")


class Findings(Mapping[str, Finding | None], Generic[Judged]):
    """A mapping from a part's name to what it found; None where it does not apply."""

    __slots__ = ("_found", "_judged", "_parts")

    def __init__(self, judged: Judged, parts: Mapping[str, Callable[[Judged], Finding | None]]) -> None:
        self._judged = judged
        self._parts = parts
        self._found: dict[str, Finding | None] = {}

    def __getitem__(self, name: str) -> Finding | None:
        found = self._found
        if name in found:
            return found[name]
        finding = found[name] = self._parts[name](self._judged)
        return finding

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)
