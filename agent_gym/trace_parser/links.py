"""Keys that belong together in, one name for each of their groups out; and things in groups, by their keys."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

__all__ = ["Links", "grouped"]

T = TypeVar("T")


class Links:
    """Two keys are of one group when they were joined, directly or over others."""

    __slots__ = ("_above",)

    def __init__(self) -> None:
        self._above: dict[str, str] = {}  # key → another key of the same group

    def join(self, one: str, other: str) -> None:
        first, second = self.group(one), self.group(other)
        if first != second:
            self._above[second] = first

    def group(self, key: str) -> str:
        while (link := self._above.get(key)) is not None:
            above = self._above.get(link)
            if above is not None:
                self._above[key] = above  # shortens the way for the next one
            key = link
        return key


def grouped(things: Iterable[T], keys_of: Callable[[T], Sequence[str]]) -> list[list[T]]:
    """Things that share a key, directly or over others, in the order of the first; those without any are one group."""
    links = Links()
    found = [(list(keys_of(thing)) or [""], thing) for thing in things]
    for (first, *others), _ in found:
        for other in others:
            links.join(first, other)
    groups: dict[str, list[T]] = {}
    for (first, *_), thing in found:
        groups.setdefault(links.group(first), []).append(thing)
    return list(groups.values())
