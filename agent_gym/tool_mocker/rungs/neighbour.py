"""Answers with the nearest recorded answer of the tool, its arguments' values replaced by the call's."""

from collections import Counter
from collections.abc import Mapping, Sequence

from agent_gym.text import canonical
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import Example
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer", "likeness"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if not model.examples:
        return None
    forms = {name: canonical(value) for name, value in call.arguments.items()}
    near = _nearest(model.examples, forms).call
    result = substituted(near.result, substitutions(near.arguments, call.arguments))
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, (near.conversation_id,))


def _nearest(examples: Sequence[Example], forms: Mapping[str, bytes]) -> Example:
    """The most similar call; of several that are equally so, one that was answered as most of them were."""
    found = [likeness(example, forms) for example in examples]
    best = max(found)
    equal = [example for example, how in zip(examples, found, strict=True) if how == best]
    votes = Counter(example.result for example in equal)
    most = max(votes.values())
    return next(example for example in equal if votes[example.result] == most)


def likeness(example: Example, forms: Mapping[str, bytes]) -> tuple[int, int]:
    """How many arguments agree: in their very value, or at least in being there."""
    known = example.forms
    return sum(known.get(name) == form for name, form in forms.items()), len(known.keys() & forms.keys())
