"""Answers a write on a known record: what the most similar recorded write changed, changed here."""

from collections.abc import Mapping

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining.writes import WriteExample
from agent_gym.tool_mocker.patch import difference, substituted, substitutions
from agent_gym.tool_mocker.rules.context import MISSING, Context
from agent_gym.tool_mocker.view import View
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if model is None or not model.kind.writes or not model.writes:
        return None
    ruled = _by_rule(call, view)
    if ruled is not None:
        return ruled
    example = max(model.writes, key=lambda known: _likeness(known, call.arguments))
    record = next(
        (found for value in call.arguments.values() if (found := view.record(example.table, str(value)))),
        None,
    )
    if record is None:
        return None
    pairs = substitutions(example.call.arguments, call.arguments)
    changed = substituted(difference(example.before, example.after), pairs)
    # The answer shows the fields that the recorded one showed.
    shown = {name: value for name, value in record.items() if name in example.after}
    return ToolAnswer(view.encoded(model, {**shown, **changed}), False, "effect", 0.0, (example.call.conversation_id,))


def _by_rule(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.world.tools[call.name]
    rule = model.effect
    if rule is None or rule.unexplained:
        return None
    record = view.record(rule.table, str(call.arguments.get(rule.key_argument)))
    if record is None:
        return None
    context = Context(call.arguments, record, view.record)
    changed = {name: expression.value(context) for name, expression in rule.fields}
    if any(value is MISSING for value in changed.values()):
        return None
    shown = {name: value for name, value in record.items() if name in rule.shown}
    return ToolAnswer(view.encoded(model, {**shown, **changed}), False, "effect", 0.0, rule.evidence)


def _likeness(example: WriteExample, arguments: Mapping[str, Json]) -> tuple[int, int]:
    """How many arguments agree: in their very value, or at least in being there."""
    known = example.call.arguments
    shared = known.keys() & arguments.keys()
    return sum(canonical(known[name]) == canonical(arguments[name]) for name in shared), len(shared)
