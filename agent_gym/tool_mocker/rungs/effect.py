"""Answers a write on a known record: what the learned rule changes, changed here."""

from collections.abc import Mapping, Sequence

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.effects import FieldRule
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.rungs.neighbour import likeness
from agent_gym.tool_mocker.view import View
from agent_gym.types import Json, ToolAnswer, ToolCall

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
        return ToolAnswer(model.encoded(result), False, "effect", 0.0, rule.evidence)
    forms = {name: canonical(value) for name, value in call.arguments.items()}
    example = max(model.writes, key=lambda known: likeness(known, forms)).call
    result |= _adapted(open_fields, example, call.arguments)
    evidence = (example.conversation_id, *rule.evidence)
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, evidence)


def _adapted(fields: Sequence[FieldRule], example: Recorded, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """What no rule gives: as it usually is, or as in the most similar recorded write. Plausible, not known."""
    pairs = substitutions(example.arguments, arguments)
    found = {}
    for field in fields:
        if field.usual is not MISSING:
            found[field.name] = field.usual
        elif field.name in example.result:
            found[field.name] = substituted(example.result[field.name], pairs)
    return found
