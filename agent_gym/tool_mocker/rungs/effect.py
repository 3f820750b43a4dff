"""Answers a write on a known record: what the learned rule changes, changed here."""

from collections.abc import Mapping, Sequence

from agent_gym.text import same
from agent_gym.tool_mocker.mining.effects import FieldRule
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rungs.neighbour import adapted
from agent_gym.tool_mocker.view import View
from agent_gym.types import Json, Source, ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    rule = model.effect
    if rule is None:
        return None
    record = view.record(rule.table, str(call.arguments.get(rule.key_argument)))
    if record is None and rule.shown:
        return None
    context = Context(call.arguments, record or {}, view.record, view.done)
    result = {name: value for name, value in (record or {}).items() if name in rule.shown}
    open_fields = []
    for field in rule.fields:
        if field.there is not None and field.there.value(context) is False:
            result.pop(field.name, None)
            continue
        value = field.value.value(context) if field.value is not None else MISSING
        if value is MISSING:
            open_fields.append(field)
        else:
            result[field.name] = value
    if not open_fields:
        source: Source = "neighbour" if rule.unforeseen else "effect"
        return ToolAnswer(model.encoded(result), False, source, 0.0, rule.evidence)
    near, told = adapted(call, view)
    shown = told if isinstance(told, Mapping) else {}
    result |= _plausible(open_fields, context, shown, told_before=same(near.arguments, call.arguments))
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, (near.conversation_id, *rule.evidence))


def _plausible(
    fields: Sequence[FieldRule], context: Context, near: Mapping[str, Json], *, told_before: bool
) -> dict[str, Json]:
    """What no rule gives: as the very call was told, else as it usually is or as after the most similar one."""
    found = {}
    for field in fields:
        usual = field.usual.value(context) if field.usual is not None else MISSING
        if usual is not MISSING and not (told_before and field.name in near):
            found[field.name] = usual
        elif field.name in near:
            found[field.name] = near[field.name]
    return found
