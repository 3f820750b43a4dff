"""Answers with the nearest recorded answer of the tool, its arguments' values replaced by the call's."""

from collections import Counter
from collections.abc import Mapping, Sequence

from agent_gym.text import canonical
from agent_gym.tool_mocker.mining import stories
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import Example, ToolModel
from agent_gym.types import ToolAnswer, ToolCall

__all__ = ["answer", "likeness"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if not model.examples:
        return None
    forms = {name: canonical(value) for name, value in call.arguments.items()}
    near = _nearest(model, forms, view).call
    result = substituted(near.result, substitutions(near.arguments, call.arguments))
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, (near.conversation_id,))


def _nearest(model: ToolModel, forms: Mapping[str, bytes], view: View) -> Example:
    """The most similar call; of several, one in a conversation like this one, answered as most of those were."""
    equal = _best(model.examples, [likeness(example, forms) for example in model.examples])
    if model.stories_tell:
        equal = _best(equal, [stories.likeness(example.call, view.made, view.world.stories) for example in equal])
    votes = Counter(example.result for example in equal)
    most = max(votes.values())
    return next(example for example in equal if votes[example.result] == most)


def _best(examples: Sequence[Example], how_like: Sequence[float | tuple[int, int]]) -> list[Example]:
    best = max(how_like)
    return [example for example, how in zip(examples, how_like, strict=True) if how == best]


def likeness(example: Example, forms: Mapping[str, bytes]) -> tuple[int, int]:
    """How many arguments agree: in their very value, or at least in being there."""
    known = example.forms
    return sum(known.get(name) == form for name, form in forms.items()), len(known.keys() & forms.keys())
