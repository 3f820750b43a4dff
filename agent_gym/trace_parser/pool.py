"""Records of grouped formats in, the groups that belong together out; kept on disk when they are many.

Two records belong together when they share a key, or when others link them: a span names its trace, the trace its
session. What is in memory is where each record lies, not the records.
"""

import tempfile
from collections.abc import Iterable, Iterator

import orjson

from agent_gym.trace_parser.formats.format import Item
from agent_gym.types import Json

__all__ = ["Pool"]

_IN_MEMORY = 32 * 2**20  # bytes; beyond that the records wait in a temporary file


class Pool:
    """The records of one format, in the order they came."""

    __slots__ = ("_file", "_links", "_places", "_sources")

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  # closed by `groups`
        self._links: dict[str, str] = {}  # key → another key of the same group
        self._places: list[tuple[str, int, int, int, int]] = []  # key, offset, length, source, line
        self._sources: dict[str, int] = {}

    def add(self, item: Item, keys: Iterable[str], own: str) -> None:
        """`own` is the key of the file, for records without any."""
        first, *others = list(keys) or [own]
        for other in others:
            self._join(first, other)
        raw = item.raw or orjson.dumps(item.value, option=orjson.OPT_NON_STR_KEYS)
        source = self._sources.setdefault(item.source, len(self._sources))
        self._places.append((first, self._file.tell(), len(raw), source, item.line))
        self._file.write(raw)

    def groups(self) -> Iterator[list[Item]]:
        """Every group once, in the order of its first record; the pool is empty afterwards."""
        grouped: dict[str, list[tuple[int, int, int, int]]] = {}
        for key, *place in self._places:
            grouped.setdefault(self._root(key), []).append(tuple(place))  # type: ignore[arg-type]  # four numbers
        names = list(self._sources)
        with self._file:
            for places in grouped.values():
                yield [self._item(names[source], offset, length, line) for offset, length, source, line in places]

    def _item(self, source: str, offset: int, length: int, line: int) -> Item:
        self._file.seek(offset)
        raw = self._file.read(length)
        return Item(_loaded(raw), source, line, raw)

    def _join(self, one: str, other: str) -> None:
        first, second = self._root(one), self._root(other)
        if first != second:
            self._links[second] = first

    def _root(self, key: str) -> str:
        while (link := self._links.get(key)) is not None:
            above = self._links.get(link)
            if above is not None:
                self._links[key] = above  # shortens the way for the next one
            key = link
        return key


def _loaded(raw: bytes) -> Json:
    return orjson.loads(raw)
