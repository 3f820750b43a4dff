"""Answers a write on a known record: what the learned rule changes, changed here."""

from collections.abc import Mapping, Sequence

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.mining.effects import FieldRule
from agent_gym.tool_mocker.mining.writes import WriteExample
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.rules.context import MISSING, Context
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
    example = max(model.writes, key=lambda known: _likeness(known, call.arguments))
    result |= _adapted(open_fields, example, context)
    evidence = (example.call.conversation_id, *rule.evidence)
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, evidence)


def _adapted(fields: Sequence[FieldRule], example: WriteExample, context: Context) -> dict[str, Json]:
    """What no rule gives: as the same call was told, else as it usually is or as in the most similar recorded write."""
    pairs = substitutions(example.call.arguments, context.arguments)
    told_before = same(example.call.arguments, context.arguments)
    found = {}
    for field in fields:
        usual = field.usual.value(context) if field.usual is not None else MISSING
        if usual is not MISSING and not (told_before and field.name in example.after):
            found[field.name] = usual
        elif field.name in example.after:
            found[field.name] = substituted(example.after[field.name], pairs)
    return found


def _likeness(example: WriteExample, arguments: Mapping[str, Json]) -> tuple[int, int]:
    """How many arguments agree: in their very value, or at least in being there."""
    known = example.call.arguments
    shared = known.keys() & arguments.keys()
    return sum(canonical(known[name]) == canonical(arguments[name]) for name in shared), len(shared)
