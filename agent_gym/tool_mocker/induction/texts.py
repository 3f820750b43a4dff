"""Explains a text as a sentence in which values of the context stand."""

from collections.abc import Sequence

from agent_gym.tool_mocker.expressions.language import MISSING, Context, Expr, Template
from agent_gym.tool_mocker.induction.atoms import Column, Wanted, explains

__all__ = ["template"]


_LONGEST = 500
_TRIED = 4  # examples from which a sentence is read off


def template(columns: Sequence[Column], wanted: Wanted, contexts: Sequence[Context]) -> Expr | None:
    """The sentence of one of the first examples that is the sentence of all."""
    if not all(isinstance(value, str) or value is MISSING for value in wanted.values):
        return None
    for at, text in enumerate(wanted.values):
        if text is MISSING or len(text) > _LONGEST:
            continue
        found = _sentence(columns, text, at)
        if found is not None and explains(found, contexts, wanted):
            return found
        if at >= _TRIED - 1:
            break
    return None


def _sentence(columns: Sequence[Column], text: str, at: int) -> Template | None:
    """The text with a place wherever it repeats a value of its context, simpler expressions first."""
    taken: list[tuple[int, int, Expr]] = []
    for column in columns:
        value = column.values[at]
        if isinstance(value, bool) or not isinstance(value, str | int | float) or str(value) == "":
            continue
        start = text.find(str(value))
        end = start + len(str(value))
        if start >= 0 and not _in_a_number(text, start, end) and not any(start < e and s < end for s, e, _ in taken):
            taken.append((start, end, column.expr))
    if not taken:
        return None
    parts: list[str | Expr] = []
    reached = 0
    for start, end, expr in sorted(taken, key=lambda place: place[0]):
        parts += [text[reached:start], expr]
        reached = end
    return Template(tuple(part for part in (*parts, text[reached:]) if part != ""))


def _in_a_number(text: str, start: int, end: int) -> bool:
    """Whether a value is only part of a longer number: the 0.0 of 60.00."""
    return (text[start].isdigit() and text[start - 1 : start].isdigit()) or (
        text[end - 1].isdigit() and text[end : end + 1].isdigit()
    )
