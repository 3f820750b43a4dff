"""Expressions for ids and numbers that are counted up."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_gym.text import canonical
from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr
from agent_gym.types import Json

__all__ = ["FirstKnown", "NextNumber", "Successor"]


_HIGHEST = 99  # of one owner's things; each number up to it is looked up


@dataclass(frozen=True, slots=True)
class Successor:
    """The id after the highest known one of its kind: a stem, and a number one higher."""

    stem: Expr
    digits: int  # the number is filled up with zeros to so many
    table: str

    def value(self, context: Context) -> Json:
        stem = self.stem.value(context)
        if not isinstance(stem, str):
            return MISSING
        for number in range(_HIGHEST, 0, -1):
            if context.named(self.table, f"{stem}{number:0{self.digits}}") is not None:
                return f"{stem}{number + 1:0{self.digits}}"
        return MISSING

    def words(self) -> str:
        return f"the next {self.table} after the highest known {self.stem.words()}…"


@dataclass(frozen=True, slots=True)
class FirstKnown:
    """What one expression gives, or another where that gives nothing."""

    first: Expr
    otherwise: Expr

    def value(self, context: Context) -> Json:
        value = self.first.value(context)
        return self.otherwise.value(context) if value is MISSING else value

    def words(self) -> str:
        return f"{self.first.words()}, else {self.otherwise.words()}"


@dataclass(frozen=True, slots=True)
class NextNumber:
    """A number counted on with every successful call of some tools; as a text, with what stands before it."""

    first: int
    tools: frozenset[str]
    group: str | None  # an argument: each of its values has a count of its own
    stem: str | None = None  # None: a plain number
    digits: int = 1
    firsts: Mapping[bytes, int] | None = None  # where the values of the group begin, if not all at `first`

    def value(self, context: Context) -> Json:
        group = context.arguments.get(self.group) if self.group else None
        form = canonical(group) if self.group else b""
        done = sum(
            name in self.tools and (not self.group or canonical(arguments.get(self.group)) == form)
            for name, arguments, _, _ in context.history
        )
        first = self.firsts.get(form) if self.firsts is not None else self.first
        if first is None:
            return MISSING
        number = first + done
        return number if self.stem is None else f"{self.stem}{number:0{self.digits}}"

    def words(self) -> str:
        each = f" for each argument.{self.group}" if self.group else ""
        start = "" if self.firsts is not None else f" from {self.stem or ''}{self.first:0{self.digits}}"
        return f"the next number{start}{each}, counted on by {' and '.join(sorted(self.tools))}"
