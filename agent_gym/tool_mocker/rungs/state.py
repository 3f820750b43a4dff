"""Answers reads from the records: as this session's writes have left them, or as the record first shows them."""

from agent_gym.text import same
from agent_gym.tool_mocker.sites import key_of
from agent_gym.tool_mocker.view import View
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    """State that rests on a made-up answer is made up itself, and says so."""
    model = view.model(call.name)
    if model.kind.writes or not view.overlay:
        return None
    told = view.told(call)
    if told is not None and not told.is_error:
        now = view.patched(call.name, call.arguments, told.result)
        if same(now, told.result):
            return None
        source = view.rests_on(call, now)
        return ToolAnswer(model.encoded(now), False, source, 0.0, (told.conversation_id,))
    # A record that this session made itself: nobody else can have asked for it.
    site = view.world.sites.get((call.name, ""))
    if site is None:
        return None
    for value in call.arguments.values():
        patch = view.overlay.get((site.table, str(value)))
        record = view.record(site.table, str(value)) if patch else None
        if record is not None and key_of(site, call.arguments, record) == str(value):
            source = view.rests_on(call, record)
            evidence = view.evidence_for(site.table, str(value))
            return ToolAnswer(model.encoded(dict(record)), False, source, 0.0, evidence)
    return None
