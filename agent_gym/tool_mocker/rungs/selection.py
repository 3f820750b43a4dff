"""Answers about a row that this session was shown in a list, or else about one that the record knows."""

from collections.abc import Mapping

from agent_gym.text import same
from agent_gym.tool_mocker.mining.selections import Row, Selection, listed_rows
from agent_gym.tool_mocker.rungs import effect
from agent_gym.tool_mocker.view import Listed, View
from agent_gym.types import Source, ToolAnswer, ToolCall

__all__ = ["answer"]

_SURE = 0.9  # an answer whose every field is right so often is looked up, not guessed


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    """What follows from a made-up row is made up itself, and says so; a guess yields to what a write's rule tells."""
    model = view.model(call.name)
    rule = model.selection
    if rule is None:
        return None
    shown, row = _selected(call, rule, view)
    known = rule.answer(call.arguments, None)
    # A row that was made up yields to one that the record knows.
    if row is not None and shown is not None and not (shown.guess and known is not None and known[1] >= _SURE):
        known = rule.answer(call.arguments, row) or known
        guess = shown.guess
        evidence = (*shown.evidence, *rule.evidence)
    else:
        guess, evidence = None, rule.evidence
    if known is None:
        return None
    result, right = known
    source: Source = guess or ("query" if right >= _SURE else "neighbour")
    ruled = _ruled(call, view) if source != "query" else None
    return ruled or ToolAnswer(model.encoded(result), False, source, 0.0, evidence)


def _ruled(call: ToolCall, view: View) -> ToolAnswer | None:
    """What the rule of a write tells, every field of it; if it contradicts the call, it tells of another thing."""
    answer = effect.answer(call, view)
    if answer is None or answer.source != "effect":
        return None
    told = view.model(call.name).decoded(answer.result)
    given = call.arguments
    agrees = isinstance(told, Mapping) and all(same(told[name], given[name]) for name in given if name in told)
    return answer if agrees else None


def _selected(call: ToolCall, rule: Selection, view: View) -> tuple[Listed | None, Row | None]:
    """The latest list that shows the row which the arguments name, and the row."""
    for shown in reversed(view.lists):
        if shown.tool == rule.tool:
            row = rule.row(call.arguments, listed_rows(shown.result, rule.path))
            if row is not None:
                return shown, row
    return None, None
