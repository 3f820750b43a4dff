"""Denies what most likely does not exist: what nothing in the record shows, where such look-ups were wrong before."""

from agent_gym.tool_mocker.mining.absence import Lookup
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model.absence is None:
        return None
    lookup = Lookup(model.subject, model.query)
    key, table = lookup.key(call.arguments), lookup.table or ""
    if key is not None and (view.record(table, key) is not None or key in view.world.mentioned):
        return None
    # A case whose conversation never came to such records is as good as new.
    known_case = view.anchor is not None and any(name == table for name, _ in view.anchor.records)
    near = lookup.is_near(call.arguments)
    if not model.absence.denies(lookup.asked(call.arguments), near=near, known_case=known_case):
        return None
    return ToolAnswer(model.absence.error, True, "not_found", 0.0, model.absence.evidence)
