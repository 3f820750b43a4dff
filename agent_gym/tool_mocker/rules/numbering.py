"""Expressions for ids that are counted up: the next one after those that are known."""

from dataclasses import dataclass

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.types import Json

__all__ = ["FirstKnown", "Successor"]

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
