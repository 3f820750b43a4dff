"""Answers searches: the records whose fields equal the arguments, listed as the recorded tool lists them."""

from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    rule = model.search
    keys = rule.found(call.arguments) if rule is not None else None
    if rule is None or not keys:
        return None
    held = (rule.rows.get(key) or view.record(rule.table, key) for key in keys)
    records = [record for record in held if record is not None]
    shown_in = [view.world.origins.get((rule.table, key)) for key in keys[:5]]
    evidence = tuple(dict.fromkeys(name for name in shown_in if name is not None)) or rule.evidence
    return ToolAnswer(model.encoded(rule.answer(records, call.arguments)), False, "query", 0.0, evidence)
