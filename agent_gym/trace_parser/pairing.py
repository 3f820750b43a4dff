"""Messages in, which result answers which call out: by id, else by name, else by order, never across turns by guess.

A turn is the message that calls, or several in a row before any result came, up to the next call after one.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_gym.types import Message, ToolCall

__all__ = ["Place", "pairs"]


class Place(NamedTuple):
    """Where a call stands: the message that makes it, and its position among that message's calls."""

    message: int
    call: int


def pairs(messages: Sequence[Message]) -> dict[int, Place]:
    """Result position → the call it answers; a result that is missing here answers none."""
    answered: dict[int, Place] = {}
    unanswered: list[Place] = []
    turn: list[int] = []  # the messages that call
    turn_has_results = False
    at = 0
    while at < len(messages):
        message = messages[at]
        if message.role != "tool":
            if message.tool_calls:
                turn = [at] if turn_has_results else [*turn, at]
                turn_has_results = False
                unanswered += [Place(at, n) for n in range(len(message.tool_calls))]
            at += 1
            continue
        end = at
        while end < len(messages) and messages[end].role == "tool":
            end += 1
        answered |= _block(range(at, end), messages, turn, unanswered)
        turn_has_results = True
        at = end
    return answered


def _block(
    results: Iterable[int], messages: Sequence[Message], turn: Sequence[int], unanswered: list[Place]
) -> dict[int, Place]:
    """Pairs a row of results, taking their calls out of `unanswered`. Ids come first, whoever stands first."""
    paired: dict[int, Place] = {}
    left: list[int] = []
    for result in results:
        place = _by_id(messages[result], messages, turn, unanswered)
        if place is None:
            left.append(result)
        else:
            unanswered.remove(place)
            paired[result] = place
    # One result after two calling messages belongs to the later: the earlier call was lost or given up.
    last = [place for place in unanswered if turn and place.message == turn[-1]]
    within = {turn[-1]} if turn and len(left) <= len(last) else set(turn)
    for named in (True, False):
        for result in left:
            name = messages[result].name
            if bool(name) is not named:
                continue
            candidates = [place for place in unanswered if place.message in within]
            if named:
                candidates = [p for p in candidates if _call(messages, p).name == name]
            if candidates:
                unanswered.remove(candidates[0])
                paired[result] = candidates[0]
    return paired


def _by_id(
    result: Message, messages: Sequence[Message], turn: Sequence[int], unanswered: Sequence[Place]
) -> Place | None:
    """The latest unanswered call with the result's id; outside its own turn the name has to agree as well."""
    if not result.tool_call_id:
        return None
    for place in reversed(unanswered):
        call = _call(messages, place)
        if call.id == result.tool_call_id and (place.message in turn or result.name == call.name):
            return place
    return None


def _call(messages: Sequence[Message], place: Place) -> ToolCall:
    return messages[place.message].tool_calls[place.call]
