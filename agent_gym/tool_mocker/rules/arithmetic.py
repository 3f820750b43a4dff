"""Expressions over arithmetic written as text: what a calculator tool computes."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rules.expressions import Expr
from agent_gym.types import Json

__all__ = ["FORMATS", "Calculated", "Format", "calculated"]

Format = Literal["number", "rounded", "text", "rounded text", "two decimals"]
FORMATS: Mapping[Format, Callable[[float], Json]] = {
    "number": lambda x: x,
    "rounded": lambda x: round(x, 2),
    "text": str,
    "rounded text": lambda x: str(round(x, 2)),
    "two decimals": lambda x: f"{x:.2f}",
}
_OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Calculated:
    """The value of an arithmetic expression that an argument holds, in the tool's format."""

    text: Expr
    format: Format

    def value(self, context: Context) -> Json:
        text = self.text.value(context)
        number = calculated(text) if isinstance(text, str) else None
        return MISSING if number is None else FORMATS[self.format](number)

    def words(self) -> str:
        return f"{self.text.words()} calculated, as {self.format}"


def calculated(text: str) -> float | None:
    """The number an arithmetic text stands for; None for anything else. Nothing is ever executed."""
    if len(text) > _LONGEST:
        return None
    try:
        number = _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    return number if number is not None and math.isfinite(number) else None


def _value(node: ast.AST) -> float | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if isinstance(node, ast.BinOp):
        operation = _OPERATORS.get(type(node.op))
        left, right = _value(node.left), _value(node.right)
        return None if operation is None or left is None or right is None else operation(left, right)
    if isinstance(node, ast.UnaryOp):
        operation, inner = _OPERATORS.get(type(node.op)), _value(node.operand)
        return None if operation is None or inner is None else operation(inner)
    return None
