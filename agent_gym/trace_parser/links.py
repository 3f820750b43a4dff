"""Keys that belong together in, one name for each of their groups out."""

__all__ = ["Links"]


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
