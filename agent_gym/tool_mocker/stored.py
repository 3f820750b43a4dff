"""The mined World in, sections and shelves out, and back: a world that was kept answers as the mined one does.

Recorded answers are kept as places in their conversations, which are kept anyway; all else as it was mined.
"""

from collections.abc import Callable, Mapping
from functools import partial

from agent_gym.keeping import Apart, Keeper, Kept, Shelving, Swap, found_in
from agent_gym.text import parsed
from agent_gym.tool_mocker.calibration import Calibration, Checked
from agent_gym.tool_mocker.defects import Defect
from agent_gym.tool_mocker.depth import shallow
from agent_gym.tool_mocker.mining.absence import AbsenceRule
from agent_gym.tool_mocker.mining.answers import Rival
from agent_gym.tool_mocker.mining.dependencies import Dependency, Way
from agent_gym.tool_mocker.mining.effects import EffectRule, FieldRule
from agent_gym.tool_mocker.mining.functions import FunctionRule
from agent_gym.tool_mocker.mining.queries import QueryRule
from agent_gym.tool_mocker.mining.read_backs import ReadBack
from agent_gym.tool_mocker.mining.refusals import RefusalRule
from agent_gym.tool_mocker.mining.schemas import ResultSchema
from agent_gym.tool_mocker.mining.searches import SearchRule
from agent_gym.tool_mocker.mining.selections import Selection
from agent_gym.tool_mocker.mining.side_effects import SideEffect
from agent_gym.tool_mocker.mining.subjects import Subject
from agent_gym.tool_mocker.mining.verbs import Kind
from agent_gym.tool_mocker.recorded import Recorded, bare, recorded_calls, unwrapped
from agent_gym.tool_mocker.rules import arithmetic, expressions, limits, numbering, predicates, structures
from agent_gym.tool_mocker.sites import Site
from agent_gym.tool_mocker.world import Example, Tally, ToolModel, World
from agent_gym.types import Json, Trace

__all__ = ["WORLD_TYPES", "keep_world", "kept_world"]

_NAME = "world"
_WRAPPING = "wrapping"

WORLD_TYPES: tuple[type, ...] = (
    *(World, ToolModel, Example, Recorded, Rival, Tally, Kind, Site, Subject, Defect, ResultSchema),
    *(Calibration, Checked, FunctionRule, EffectRule, FieldRule, SideEffect, ReadBack, RefusalRule, QueryRule),
    *(SearchRule, Selection, Dependency, Way, AbsenceRule),
    *(expressions.Const, expressions.Path, expressions.Given, expressions.Lookup, expressions.Total),
    *(expressions.Piece, expressions.Sorted, expressions.Unary, expressions.Binary, expressions.Choice),
    *(expressions.Branch, expressions.Mapped, expressions.Template, arithmetic.Calculated),
    *(limits.Beyond, limits.Unless, numbering.Successor, numbering.FirstKnown),
    *(predicates.NotAmong, predicates.NotYet, predicates.Misshapen, predicates.NotMember, predicates.Unnamed),
    *(predicates.Compared, predicates.Equal, predicates.Both),
    *(structures.Object, structures.ListOf, structures.Appended, structures.AppendedEach),
    *(structures.Replaced, structures.Removed),
)


def _apart(recorded: Swap, example: Swap) -> Apart:
    """What grows with the log."""
    by_place: Mapping[type, Swap] = {Recorded: recorded}
    return {
        (World, "tools"): {},
        (World, "records"): {},
        (World, "origins"): {},
        (World, "mentioned"): {},
        (World, "stories"): {},
        (ToolModel, "answers"): by_place,
        (ToolModel, "contested"): {},
        (ToolModel, "rivals"): by_place,
        (ToolModel, "examples"): {Example: example},
        (QueryRule, "index"): {},
        (QueryRule, "partial"): {},
        (SearchRule, "rows"): {},
        (SearchRule, "index"): {},
        (Way, "values"): {},
    }


def keep_world(world: World, keeper: Keeper) -> None:
    keeper.section(_WRAPPING, sorted(world.wrapping))
    apart = _apart((_place, _unread), (_outlined, _unread))
    Shelving(_NAME, WORLD_TYPES, apart, keeper=keeper).keep(world)


def kept_world(kept: Kept, trace_of: Callable[[str], Trace]) -> World:
    """`trace_of`: the conversation of an id, among those that the world was mined from."""
    wrapping = frozenset(found_in(kept, _WRAPPING, list))
    apart = _apart((_place, partial(_recorded, trace_of, wrapping)), (_outlined, partial(_example, wrapping)))
    return Shelving(_NAME, WORLD_TYPES, apart, kept=kept).found(World)


def _unread(_value: Json) -> None:
    raise ValueError("what is being written is not read")


def _place(call: Recorded) -> Json:
    return [call.conversation_id, call.at]


def _recorded(trace_of: Callable[[str], Trace], wrapping: frozenset[str], place: Json) -> Recorded:
    conversation_id, at = place
    return unwrapped(recorded_calls(trace_of(conversation_id))[at : at + 1], wrapping)[0]


def _outlined(example: Example) -> Json:
    """All of a call but its result, which follows from what the log has."""
    call = example.call
    asked = [call.conversation_id, call.name, call.arguments, call.key.hex(), call.raw, call.is_error, call.at]
    forms = {name: form.decode() for name, form in example.forms.items()}
    return [*asked, forms, example.result.hex(), sorted(example.words)]


def _example(wrapping: frozenset[str], outline: Json) -> Example:
    conversation_id, name, arguments, key, raw, is_error, at, forms, result, words = outline
    told = shallow(parsed(raw))
    told = bare(told) if name in wrapping and not is_error else told
    call = Recorded(conversation_id, name, arguments, bytes.fromhex(key), raw, told, is_error, at)
    return Example(call, {name: form.encode() for name, form in forms.items()}, bytes.fromhex(result), frozenset(words))
