"""What a part is kept in, as the part sees it: named sections, and shelves of many small values found by their keys.

Whoever keeps them (a file) implements `Keeper` and `Kept`; a shelf that was kept comes back as a mapping, a set or a
sequence whose entries are read when they are asked for, and of which a bounded number stays at hand.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeVar, overload

from agent_gym.errors import AgentGymError
from agent_gym.keeping.codec import Codec
from agent_gym.keeping.exact_json import read_json, written_json
from agent_gym.types import Json

__all__ = ["Keeper", "Kept", "KeptMapping", "KeptSequence", "KeptSet", "Shelf", "entries_of", "found_in"]

K = TypeVar("K")
V = TypeVar("V")
_AT_HAND = 512  # values of one shelf


class Keeper(Protocol):
    """Where parts are put. Names are used once."""

    def section(self, name: str, value: Json) -> None: ...

    def shelf(self, name: str, entries: Iterable[tuple[bytes, Json]]) -> None: ...


class Shelf(Protocol):
    """Values by key; None stands for none."""

    def __len__(self) -> int: ...

    def get(self, key: bytes) -> Json: ...

    def entries(self) -> Iterator[tuple[bytes, Json]]: ...

    def damaged(self, why: object) -> AgentGymError:
        """What to raise where an entry is not as it was written."""
        ...


class Kept(Protocol):
    """Where parts are found again. A name that was never used is a KeyError."""

    def section(self, name: str) -> Json: ...

    def shelf(self, name: str) -> Shelf: ...

    def damaged(self, why: object) -> AgentGymError:
        """What to raise where a section is not as it was written."""
        ...


def found_in(kept: Kept, name: str, kind: type[V], codec: Codec | None = None) -> V:
    """The value of a section, as the codec reads it; what is none of the kind was not written by us."""
    try:
        value = kept.section(name)
        found = value if codec is None else codec.decode(value)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise kept.damaged(f"its {name} cannot be read ({error})") from error
    if not isinstance(found, kind):
        raise kept.damaged(f"its {name} is none")
    return found


def entries_of(items: Mapping[Any, Any] | Iterable[Any], keys: Codec, values: Codec) -> Iterator[tuple[bytes, Json]]:
    """The entries of a mapping, a set or a sequence; each remembers its place, for who goes through all of them."""
    if isinstance(items, Mapping):
        for at, (key, value) in enumerate(items.items()):
            yield written_json(keys.encode(key)), [at, values.encode(value)]
    elif isinstance(items, Set):
        yield from sorted((written_json(keys.encode(key)), [0]) for key in items)
    else:
        for at, value in enumerate(items):
            yield written_json(at).zfill(9), [at, values.encode(value)]


class KeptMapping(Mapping[K, V]):
    """A mapping on a shelf. Going through it reads all of it, in the order it was written in."""

    def __init__(self, shelf: Shelf, keys: Codec, values: Codec) -> None:
        self._shelf, self._keys, self._values = shelf, keys, values
        self._found = lru_cache(maxsize=_AT_HAND)(self._read)

    def _read(self, key: K) -> tuple[V] | None:
        entry = self._shelf.get(written_json(self._keys.encode(key)))
        return None if entry is None else (_value(self._shelf, entry, self._values),)

    def __getitem__(self, key: K) -> V:
        found = self._found(key)
        if found is None:
            raise KeyError(key)
        return found[0]

    def get(self, key: K, default: Any = None) -> Any:  # asked many times a call: the inherited one is slower
        found = self._found(key)
        return default if found is None else found[0]

    def __contains__(self, key: object) -> bool:
        return self._found(key) is not None

    def __iter__(self) -> Iterator[K]:
        placed = sorted((entry[0], key) for key, entry in self._shelf.entries())
        return (self._keys.decode(read_json(key)) for _, key in placed)

    def __len__(self) -> int:
        return len(self._shelf)


class KeptSet(Set[K]):
    """A set on a shelf; it is in the order of its keys."""

    def __init__(self, shelf: Shelf, keys: Codec) -> None:
        self._shelf, self._keys = shelf, keys

    def __contains__(self, key: object) -> bool:
        return self._shelf.get(written_json(self._keys.encode(key))) is not None

    def __iter__(self) -> Iterator[K]:
        return (self._keys.decode(read_json(key)) for key, _ in self._shelf.entries())

    def __len__(self) -> int:
        return len(self._shelf)


class KeptSequence(Sequence[V]):
    """A bounded sequence on a shelf: read whole when it is first looked into."""

    def __init__(self, shelf: Shelf, values: Codec) -> None:
        self._shelf, self._values = shelf, values

    @cached_property
    def _all(self) -> tuple[V, ...]:
        return tuple(_value(self._shelf, entry, self._values) for _, entry in self._shelf.entries())

    @overload
    def __getitem__(self, at: int) -> V: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[V]: ...

    def __getitem__(self, at: int | slice) -> V | Sequence[V]:
        return self._all[at]

    def __iter__(self) -> Iterator[V]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._shelf)


def _value(shelf: Shelf, entry: Json, codec: Codec) -> Any:
    try:
        return codec.decode(entry[1])
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise shelf.damaged(error) from error
