"""Answers look-ups by what a record holds: the tables are searched as the recorded tool searched its own."""

from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    rule = model.query
    wanted = rule.wanted(call.arguments) if rule is not None else None
    if rule is None or wanted is None:
        return None
    own = view.anchor.records if view.anchor else {}
    key = next((k for (table, k), record in own.items() if table == rule.table and rule.of(record) == wanted), None)
    key = key or rule.index.get(wanted)
    if key is None:
        return None
    evidence = (view.world.origins.get((rule.table, key), ""),)
    if rule.gives == "key":
        return ToolAnswer(key, False, "query", 0.0, evidence)
    record = view.record(rule.table, key)
    return ToolAnswer(model.encoded(dict(record)), False, "query", 0.0, evidence) if record else None
