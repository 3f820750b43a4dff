"""Expressions that build objects and lists: fields by fields, elements added, replaced or taken away."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr
from agent_gym.types import Json

__all__ = ["Appended", "AppendedEach", "ListOf", "Object", "Removed", "Replaced"]


@dataclass(frozen=True, slots=True)
class Object:
    """An object, each field by its own expression; over a base, the other fields stay as they are."""

    fields: tuple[tuple[str, Expr], ...]
    base: Expr | None = None

    def value(self, context: Context) -> Json:
        out = {}
        if self.base is not None:
            base = self.base.value(context)
            if not isinstance(base, Mapping):
                return MISSING
            out = dict(base)
        for name, inner in self.fields:
            value = inner.value(context)
            if value is MISSING:
                return MISSING
            out[name] = value
        return out

    def words(self) -> str:
        fields = ", ".join(f"{name}: {inner.words()}" for name, inner in self.fields)
        return f"{{{fields}}}" if self.base is None else f"{self.base.words()} with {{{fields}}}"


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of so many elements."""

    items: tuple[Expr, ...]

    def value(self, context: Context) -> Json:
        values = [item.value(context) for item in self.items]
        return MISSING if any(value is MISSING for value in values) else values

    def words(self) -> str:
        return "[" + ", ".join(item.words() for item in self.items) + "]"


@dataclass(frozen=True, slots=True)
class Appended:
    """A list with more elements at its end."""

    base: Expr
    tail: ListOf

    def value(self, context: Context) -> Json:
        base, tail = self.base.value(context), self.tail.value(context)
        if base is MISSING:
            base = []  # the first one makes the list
        return base + tail if isinstance(base, list) and tail is not MISSING else MISSING

    def words(self) -> str:
        return f"{self.base.words()} with {self.tail.words()} added"


@dataclass(frozen=True, slots=True)
class AppendedEach:
    """A list with one more element for each that it has."""

    base: Expr
    item: Expr

    def value(self, context: Context) -> Json:
        base = self.base.value(context)
        if not isinstance(base, list):
            return MISSING
        more = [self.item.value(replace(context, element=element)) for element in base]
        return MISSING if any(value is MISSING for value in more) else base + more

    def words(self) -> str:
        return f"{self.base.words()} with {self.item.words()} added for each element"


@dataclass(frozen=True, slots=True)
class Replaced:
    """A list in which the elements named by one list of ids become those named by another."""

    base: Expr
    key: str
    old: Expr
    new: Expr
    item: Expr

    def value(self, context: Context) -> Json:
        base, old, new = (part.value(context) for part in (self.base, self.old, self.new))
        if not all(isinstance(part, list) for part in (base, old, new)) or len(old) != len(new):
            return MISSING
        pairs = list(zip(old, new, strict=True))
        out = []
        for element in base:
            key = element.get(self.key) if isinstance(element, Mapping) else None
            at = next((i for i, (name, _) in enumerate(pairs) if name == key), None)
            if at is None:
                out.append(element)
                continue
            name, successor = pairs.pop(at)
            made = self.item.value(replace(context, element=element, pair={"old": name, "new": successor}))
            if made is MISSING:
                return MISSING
            out.append(made)
        return MISSING if pairs else out

    def words(self) -> str:
        return (
            f"{self.base.words()} where the elements named by {self.old.words()} become {self.item.words()} "
            f"for {self.new.words()}"
        )


@dataclass(frozen=True, slots=True)
class Removed:
    """A list without the elements that an id, or a list of ids, names."""

    base: Expr
    key: str | None  # None: the elements themselves
    gone: Expr

    def value(self, context: Context) -> Json:
        base, gone = self.base.value(context), self.gone.value(context)
        if not isinstance(base, list) or gone is MISSING:
            return MISSING
        names = gone if isinstance(gone, list) else [gone]
        kept = [e for e in base if (e.get(self.key) if self.key and isinstance(e, Mapping) else e) not in names]
        return kept if len(kept) < len(base) else MISSING

    def words(self) -> str:
        return f"{self.base.words()} without {self.gone.words()}"
