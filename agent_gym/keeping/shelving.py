"""A frozen value in, sections and shelves out, and back: its large fields stand on shelves of their own."""

from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeVar

from agent_gym.keeping.codec import Codec, Swap
from agent_gym.keeping.shelves import Keeper, Kept, KeptMapping, KeptSequence, KeptSet, entries_of, found_in
from agent_gym.types import Json

__all__ = ["Apart", "Shelving"]

# (type, field) → how the types in its values are written there; such a field holds many things, or large ones.
Apart = Mapping[tuple[type, str], Mapping[type, Swap]]

T = TypeVar("T")
_SHELF = "@"
_FEW = 8  # fewer entries than this stay where they are


class Shelving(Codec):
    """A codec that puts the fields named in `apart` on shelves, under a name that all of them share."""

    def __init__(
        self,
        name: str,
        types: Iterable[type],
        apart: Apart,
        *,
        keeper: Keeper | None = None,
        kept: Kept | None = None,
        swaps: Mapping[type, Swap] | None = None,
    ) -> None:
        super().__init__(types, swaps)
        self._name, self._keeper, self._kept = name, keeper, kept
        self._keys = Codec(self._types.values())
        self._apart = {place: self._values(swaps) for place, swaps in apart.items()}
        self._written = 0

    def keep(self, value: Any) -> None:
        """The value under this codec's name; `found` gives it back."""
        if self._keeper is None:
            raise TypeError("there is nowhere to keep it")
        self._keeper.section(self._name, self.encode(value))

    def found(self, kind: type[T]) -> T:
        if self._kept is None:
            raise TypeError("there is nowhere to look for it")
        return found_in(self._kept, self._name, kind, self)

    def _values(self, swaps: Mapping[type, Swap]) -> Codec:
        return Codec(self._types.values(), swaps) if swaps else self

    def _field(self, kind: type, name: str, value: Any) -> Json:
        values = self._apart.get((kind, name))
        if values is None or self._keeper is None or len(value) < _FEW:
            return self.encode(value)
        form = "mapping" if isinstance(value, Mapping) else "set" if isinstance(value, Set) else "sequence"
        place = f"{kind.__name__}.{name}"
        self._written += 1
        shelf = f"{self._name}/{self._written}"
        self._keeper.shelf(shelf, entries_of(value, self._keys, values))
        return [_SHELF, shelf, form, place]

    def _read(self, tag: str, rest: list[Json]) -> Any:
        if tag != _SHELF or self._kept is None:
            return super()._read(tag, rest)
        name, form, place = rest
        shelf = self._kept.shelf(name)
        if form == "set":
            return KeptSet[Any](shelf, self._keys)
        values = next(codec for (kind, field), codec in self._apart.items() if f"{kind.__name__}.{field}" == place)
        return KeptMapping[Any, Any](shelf, self._keys, values) if form == "mapping" else KeptSequence(shelf, values)
