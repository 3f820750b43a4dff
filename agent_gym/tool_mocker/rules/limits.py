"""Statements about limits: a number or a date beyond one, and a refusal that an argument lifts."""

import datetime
from dataclasses import dataclass
from typing import Literal

from agent_gym.tool_mocker.rules.context import Context, is_number
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.tool_mocker.rules.predicates import Predicate
from agent_gym.types import Json

__all__ = ["Beyond", "Unless", "measured"]


@dataclass(frozen=True, slots=True)
class Beyond:
    """A number or a date is beyond a limit on one side of which calls are accepted."""

    inner: Expr
    side: Literal["above", "below"]
    limit: Json

    def holds(self, context: Context) -> bool | None:
        value, limit = measured(self.inner.value(context)), measured(self.limit)
        if value is None or limit is None or isinstance(value, float) is not isinstance(limit, float):
            return None
        return value > limit if self.side == "above" else value < limit

    def words(self) -> str:
        return f"{self.inner.words()} is {self.side} {self.limit}"


@dataclass(frozen=True, slots=True)
class Unless:
    """A condition that an argument lifts: a fee is accepted, a warning taken note of."""

    argument: str
    condition: Predicate

    def holds(self, context: Context) -> bool | None:
        return False if context.arguments.get(self.argument) else self.condition.holds(context)

    def words(self) -> str:
        return f"{self.condition.words()}, unless argument.{self.argument} is given"


def measured(value: Json) -> float | int | None:
    """What can be compared: a number as a float, a date as its day's ordinal."""
    if is_number(value):
        return float(value)
    if isinstance(value, str) and len(value) >= 10 and value[4:5] == value[7:8] == "-":
        try:
            return datetime.date.fromisoformat(value[:10]).toordinal()
        except ValueError:
            return None
    return None
