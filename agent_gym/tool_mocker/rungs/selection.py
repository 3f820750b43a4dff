"""Answers about a row that this session was shown in a list, or else about one that the record knows."""

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
    if source != "query":
        ruled = effect.answer(call, view)
        if ruled is not None and ruled.source == "effect":
            return ruled
    return ToolAnswer(model.encoded(result), False, source, 0.0, evidence)


def _selected(call: ToolCall, rule: Selection, view: View) -> tuple[Listed | None, Row | None]:
    """The latest list that shows the row which the arguments name, and the row."""
    for shown in reversed(view.lists):
        if shown.tool == rule.tool:
            row = rule.row(call.arguments, listed_rows(shown.result, rule.path))
            if row is not None:
                return shown, row
    return None, None
