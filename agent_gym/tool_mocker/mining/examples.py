"""Recorded conversations in, examples out: what each tool did, sorted by what may be learned from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agent_gym.tool_mocker.mining.ground import Ground
from agent_gym.tool_mocker.mining.history import Told
from agent_gym.tool_mocker.mining.moments import Moment
from agent_gym.tool_mocker.mining.read_backs import ReadBackExample, read_back_examples
from agent_gym.tool_mocker.mining.selections import SelectionExample, selection_examples
from agent_gym.tool_mocker.mining.side_effects import SideExample, side_examples
from agent_gym.tool_mocker.mining.variables import VariableExample, variable_examples
from agent_gym.tool_mocker.mining.writes import WriteExample, write_examples
from agent_gym.tool_mocker.recorded import Recorded

__all__ = ["Examples", "examples_of"]


@dataclass(slots=True)
class Examples:
    """Of one tool."""

    untouched: list[Told] = field(default_factory=list)  # calls that show nothing written to before
    accepted: list[Moment] = field(default_factory=list)
    refused: list[Moment] = field(default_factory=list)
    writes: list[WriteExample] = field(default_factory=list)
    sides: list[SideExample] = field(default_factory=list)
    read_backs: list[ReadBackExample] = field(default_factory=list)
    selected: list[SelectionExample] = field(default_factory=list)  # calls made after lists were shown
    varied: list[VariableExample] = field(default_factory=list)  # calls that show a session variable again


def examples_of(conversations: Iterable[Sequence[Recorded]], ground: Ground) -> dict[str, Examples]:
    """tool → its examples, in the order of the conversations."""
    found = {name: Examples() for name in ground.kinds}
    for history in ground.histories:
        for told in history.untouched:
            found[told[0].name].untouched.append(told)
    for conversation in conversations:
        moments = list(ground.moments(conversation))
        for moment in moments:
            examples = found[moment.call.name]
            (examples.refused if moment.call.is_error else examples.accepted).append(moment)
        for write in write_examples(moments, ground.kinds):
            found[write.call.name].writes.append(write)
        for name, side in side_examples(moments, ground.kinds):
            found[name].sides.append(side)
        for selected in selection_examples(conversation):
            found[selected[0].name].selected.append(selected)
        for example in variable_examples(conversation, ground.subjects):
            found[example[0].name].varied.append(example)
        for read_back in read_back_examples(conversation, ground.kinds):
            found[read_back.read.name].read_backs.append(read_back)
    return found
