"""Answers with the nearest recorded answer of the tool, its arguments' values replaced by the call's."""

from collections import Counter
from collections.abc import Mapping

from agent_gym.text import canonical
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import Example, ToolModel
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["adapted", "answer", "likeness"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if not model.examples:
        return None
    near, result = adapted(call, model)
    listing = view.world.listings.get(call.name)
    if listing is not None:
        result = listing.corrected(near.result, result)
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, (near.conversation_id,))


def adapted(call: ToolCall, model: ToolModel) -> tuple[Recorded, Json]:
    """The most similar recorded call of a tool that has some, and its answer with this call's values."""
    asked = {**model.usual, **call.arguments}
    near = _nearest(model, {name: canonical(value) for name, value in asked.items()}).call
    return near, substituted(near.result, substitutions({**model.usual, **near.arguments}, asked))


def _nearest(model: ToolModel, forms: Mapping[str, bytes]) -> Example:
    """The most similar call; of several that are equally so, one that was answered as most of them were."""
    found = [likeness(example, forms, model.weights) for example in model.examples]
    best = max(found)
    equal = [example for example, how in zip(model.examples, found, strict=True) if how == best]
    votes = Counter(example.result for example in equal)
    most = max(votes.values())
    return next(example for example in equal if votes[example.result] == most)


def likeness(example: Example, forms: Mapping[str, bytes], weights: Mapping[str, float]) -> tuple[float, int, int]:
    """How many arguments agree: in their very value, by what that tells of the answer, or at least in being there."""
    known = example.forms
    same = [name for name, form in forms.items() if known.get(name) == form]
    return sum(weights.get(name, 0.0) for name in same), len(same), len(known.keys() & forms.keys())
