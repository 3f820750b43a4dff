"""Records of grouped formats in, the groups that belong together out; kept on disk when they are many.

Two records belong together when they share a key, or when others link them: a span names its trace, the trace its
session. Of a large log all but the first records are in memory only by their places.
"""

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple

import orjson

from agent_gym.trace_parser.decode import decoded
from agent_gym.trace_parser.formats.format import Item
from agent_gym.trace_parser.links import Links
from agent_gym.trace_parser.repairs import Repairs

__all__ = ["Pool"]

_IN_MEMORY = 32 * 2**20  # bytes; the records beyond that wait in a temporary file


class _Place(NamedTuple):
    """Where a record waits in the temporary file."""

    offset: int
    length: int
    source: str
    line: int


class Pool:
    """The records of one format, in the order they came."""

    __slots__ = ("_end", "_file", "_files", "_items", "_keys", "_links", "_size")

    def __init__(self) -> None:
        self._items: list[Item | _Place] = []
        self._keys: list[str] = []
        self._links = Links()
        self._file: IO[bytes] | None = None
        self._files: set[str] = set()
        self._size = 0
        self._end = 0  # of the file, in bytes: asking the file itself costs a system call a record

    def add(self, item: Item, keys: Iterable[str], own: str) -> None:
        """`own` is the key of the file, for records without any."""
        first, *others = list(keys) or [own]
        for other in others:
            self._links.join(first, other)
        if first != own and own not in self._files:
            # Lines without a key of their own (titles, notices) belong to the first conversation of their file.
            self._files.add(own)
            self._links.join(first, own)
        self._keys.append(first)
        self._size += len(item.raw) or 200
        self._items.append(item if self._size <= _IN_MEMORY else self._stored(item))

    def groups(self) -> Iterator[list[Item]]:
        """Every group once, in the order of its first record; the pool is empty afterwards."""
        grouped: dict[str, list[Item | _Place]] = {}
        for key, item in zip(self._keys, self._items, strict=True):
            grouped.setdefault(self._links.group(key), []).append(item)
        self._items, self._keys = [], []
        try:
            for name in list(grouped):
                group = grouped.pop(name)
                yield [one if isinstance(one, Item) else self._loaded(one) for one in group]
        finally:
            if self._file is not None:
                self._file.close()

    def _stored(self, item: Item) -> "_Place":
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `groups`
        raw = item.raw or orjson.dumps(item.value, option=orjson.OPT_NON_STR_KEYS)
        place = _Place(self._end, len(raw), item.source, item.line)
        self._end += self._file.write(raw)
        return place

    def _loaded(self, place: "_Place") -> Item:
        assert self._file is not None
        self._file.seek(place.offset)
        raw = self._file.read(place.length)
        try:
            return Item(orjson.loads(raw), place.source, place.line, raw)
        except orjson.JSONDecodeError:
            notes = Repairs(place.source, place.line)
            return Item(decoded(raw, notes), place.source, place.line, raw, 0, notes)
