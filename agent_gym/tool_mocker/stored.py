"""Keeps the mined world and finds it again: a world that was kept answers as the mined one does.

Recorded answers are kept as places in their conversations, which are kept anyway; all else as it was mined.
"""

from collections.abc import Callable, Mapping
from functools import partial

from agent_gym.keeping import Apart, Keeper, Kept, Shelving, Swap, found_in
from agent_gym.text import parsed
from agent_gym.tool_mocker import expressions, rules
from agent_gym.tool_mocker.dependence import Dependence
from agent_gym.tool_mocker.effects import Effect
from agent_gym.tool_mocker.entities import Owned, Site, Subject
from agent_gym.tool_mocker.kinds import Kind
from agent_gym.tool_mocker.log import PLAIN, Form, Recorded, plain, recorded_calls, shallow
from agent_gym.tool_mocker.precision import Checked, Precision
from agent_gym.tool_mocker.rules.effect import SelectionRule
from agent_gym.tool_mocker.rules.totals import TotalsRule
from agent_gym.tool_mocker.rules.views import QueryRule
from agent_gym.tool_mocker.schemas import ResultSchema
from agent_gym.tool_mocker.world import Example, Memory, Rival, Tally, Tool, World
from agent_gym.types import Json, Trace

__all__ = ["WORLD_TYPES", "keep_world", "kept_world"]

_NAME = "world"
_FORMS = "forms"

WORLD_TYPES: tuple[type, ...] = (
    *(World, Tool, Memory, Rival, Example, Recorded, Tally, Kind, Form, ResultSchema),
    *(Site, Subject, Owned, Dependence, Effect, Precision, Checked),
    *rules.KEPT,
    *expressions.KEPT,
)


def _apart(recorded: Swap, example: Swap) -> Apart:
    """What grows with the log."""
    by_place: Mapping[type, Swap] = {Recorded: recorded}
    return {
        (World, "tools"): {},
        (World, "records"): {},
        (World, "by_fields"): {},
        (World, "origins"): {},
        (World, "mentioned"): {},
        (World, "stories"): {},
        (Memory, "answers"): by_place,
        (Memory, "contested"): {},
        (Memory, "situations"): {},
        (Memory, "rivals"): by_place,
        (Tool, "examples"): {Example: example},
        (QueryRule, "index"): {},
        (QueryRule, "partial"): {},
        (SelectionRule, "rows"): {},
        (TotalsRule, "start"): {},
    }


def keep_world(world: World, keeper: Keeper) -> None:
    keeper.section(_FORMS, {name: _kept_form(form) for name, form in world.forms.items()})
    apart = _apart((_place, _unread), (_outlined, _unread))
    Shelving(_NAME, WORLD_TYPES, apart, keeper=keeper).keep(world)


def kept_world(kept: Kept, trace_of: Callable[[str], Trace]) -> World:
    """`trace_of`: the conversation of an id, among those that the world was mined from."""
    forms = {name: _found_form(form) for name, form in found_in(kept, _FORMS, dict).items()}
    apart = _apart((_place, partial(_recorded, trace_of, forms)), (_outlined, partial(_example, forms)))
    return Shelving(_NAME, WORLD_TYPES, apart, kept=kept).found(World)


def _unread(_value: Json) -> None:
    raise ValueError("what is being written is not read")


def _place(call: Recorded) -> Json:
    return [call.conversation_id, call.at]


def _recorded(trace_of: Callable[[str], Trace], forms: Mapping[str, Form], place: Json) -> Recorded:
    conversation_id, at = place
    return plain(recorded_calls(trace_of(conversation_id))[at : at + 1], forms)[0]


def _outlined(example: Example) -> Json:
    """All of a call but its result, which follows from what the log has."""
    call = example.call
    asked = [call.conversation_id, call.name, call.arguments, call.key.hex(), call.raw, call.is_error, call.at]
    forms = {name: form.decode() for name, form in example.forms.items()}
    return [*asked, forms, example.result.hex(), sorted(example.words)]


def _example(dress: Mapping[str, Form], outline: Json) -> Example:
    conversation_id, name, arguments, key, raw, is_error, at, forms, result, words = outline
    told = shallow(parsed(raw))
    told = dress.get(name, PLAIN).bare(told) if not is_error else told
    call = Recorded(conversation_id, name, arguments, bytes.fromhex(key), raw, told, is_error, at)
    return Example(call, {name: form.encode() for name, form in forms.items()}, bytes.fromhex(result), frozenset(words))


def _kept_form(form: Form) -> Json:
    name, around = form.envelope or (None, None)
    return [form.listed, name, around, form.encoded, form.tells_objects, sorted(form.refusals), sorted(form.spelt)]


def _found_form(kept: Json) -> Form:
    listed, name, around, encoded, tells_objects, refusals, spelt = kept
    envelope = (name, around) if name is not None else None
    return Form(listed, envelope, encoded, tells_objects, frozenset(refusals), frozenset(spelt))
