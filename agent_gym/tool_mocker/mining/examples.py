"""Recorded conversations in, examples out: what each tool did, sorted by what may be learned from it."""

from dataclasses import dataclass, field
from typing import TypeVar

from agent_gym.tool_mocker.mining.ground import Ground
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.read_backs import ReadBackExample, read_back_examples
from agent_gym.tool_mocker.mining.sampling import MOST_EXAMPLES
from agent_gym.tool_mocker.mining.selections import SelectionExample, selection_examples
from agent_gym.tool_mocker.mining.side_effects import SideExample, side_examples
from agent_gym.tool_mocker.mining.variables import VariableExample, variable_examples
from agent_gym.tool_mocker.mining.writes import WriteExample, write_examples

__all__ = ["Examples", "examples_of"]


@dataclass(slots=True)
class Examples:
    """Of one tool; of each kind no more than a rule can learn from."""

    accepted: list[Moment] = field(default_factory=list)
    refused: list[Moment] = field(default_factory=list)
    writes: list[WriteExample] = field(default_factory=list)
    sides: list[SideExample] = field(default_factory=list)
    read_backs: list[ReadBackExample] = field(default_factory=list)
    selected: list[SelectionExample] = field(default_factory=list)  # calls made after lists were shown
    varied: list[VariableExample] = field(default_factory=list)  # calls that show a session variable again


def examples_of(ground: Ground) -> dict[str, Examples]:
    """tool → its examples, in the order of the conversations."""
    found = {name: Examples() for name in ground.kinds}
    for conversation in ground.teaching:
        moments = list(ground.moments(conversation))
        for moment in moments:
            examples = found[moment.call.name]
            _add(examples.refused if moment.call.is_error else examples.accepted, moment)
        for write in write_examples(moments, ground.kinds):
            _add(found[write.call.name].writes, write)
        for name, side in side_examples(moments, ground.kinds):
            _add(found[name].sides, side)
        for selected in selection_examples(conversation):
            _add(found[selected[0].name].selected, selected)
        for example in variable_examples(conversation, ground.subjects):
            _add(found[example[0].name].varied, example)
        for read_back in read_back_examples(conversation, ground.kinds):
            _add(found[read_back.read.name].read_backs, read_back)
    return found


T = TypeVar("T")


def _add(known: list[T], example: T) -> None:
    if len(known) < MOST_EXAMPLES:
        known.append(example)
