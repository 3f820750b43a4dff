"""Answers with the nearest recorded answer of the tool, its arguments' values replaced by the call's."""

from collections.abc import Mapping, Sequence

from agent_gym.text import canonical, same
from agent_gym.tool_mocker.mining import stories
from agent_gym.tool_mocker.patch import substituted, substitutions
from agent_gym.tool_mocker.recorded import Recorded
from agent_gym.tool_mocker.view import View
from agent_gym.tool_mocker.world import Example, ToolModel, words_in
from agent_gym.types import Json, ToolAnswer, ToolCall

__all__ = ["adapted", "answer"]


def answer(call: ToolCall, view: View) -> ToolAnswer | None:
    model = view.model(call.name)
    if not model.examples:
        return None
    near, result = adapted(call, view)
    listing = view.world.listings.get(call.name)
    if listing is not None:
        result = listing.corrected(near.result, result)
    known = _known(call, model, view)
    if known and isinstance(result, Mapping):
        told = near.result
        # What follows the call's own values is right as it is.
        result = {n: known[n] if n in known and same(told.get(n), value) else value for n, value in result.items()}
    return ToolAnswer(model.encoded(result), False, "neighbour", 0.0, (near.conversation_id,))


def adapted(call: ToolCall, view: View) -> tuple[Recorded, Json]:
    """The most similar recorded call of a tool that has some, and its answer with this call's values."""
    usual = view.model(call.name).usual
    asked = {**usual, **call.arguments}
    near = _nearest(call, asked, view).call
    return near, substituted(near.result, substitutions({**usual, **near.arguments}, asked))


def _nearest(call: ToolCall, asked: Mapping[str, Json], view: View) -> Example:
    """The most similar call about the most similar thing; of several, one in a conversation like this one,
    answered as most of those were."""
    model = view.model(call.name)
    forms = {name: canonical(value) for name, value in asked.items()}
    equal = view.alike.most(model, forms)
    if known := _known(call, model, view):
        equal = _best(equal, [_agreement(example, known) for example in equal])
    if words := words_in(call.arguments):
        equal = _best(equal, [len(words & example.words) / len(words | example.words) for example in equal])
    if model.stories_tell:
        equal = _best(equal, [stories.likeness(example.call, view.steps, view.world.stories) for example in equal])
    return view.alike.usual(model, equal)


def _known(call: ToolCall, model: ToolModel, view: View) -> Mapping[str, Json]:
    """What other answers have shown of the record that a read asks for: its own answer must not contradict it."""
    site = view.world.sites.get((call.name, ""))
    if site is None or model.subject is None or model.kind.writes or site.table != model.subject.table:
        return {}
    return view.record(*model.subject.of(call.arguments)) or {}


def _agreement(example: Example, known: Mapping[str, Json]) -> int:
    told = example.call.result
    return sum(name in told and same(told[name], value) for name, value in known.items())


def _best(examples: Sequence[Example], how_like: Sequence[float]) -> list[Example]:
    best = max(how_like)
    return [example for example, how in zip(examples, how_like, strict=True) if how == best]
