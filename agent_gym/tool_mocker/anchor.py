"""One recorded conversation in, its own answers out: what an anchored session prefers to all else.

Answers are keyed by tool, arguments, the writes made before and the gates passed (tools that others need to
have answered first), not by position, so that an agent may ask in another order; the same question asked
again gets the next recorded answer, then the last one again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_gym.text import digest
from agent_gym.tool_mocker.mining.history import history_of
from agent_gym.tool_mocker.recorded import Recorded, unwrapped
from agent_gym.tool_mocker.world import Asked, World
from agent_gym.types import Json

__all__ = ["Anchor", "Place", "anchor_of", "state_key"]


Place = tuple[str, bytes, bytes, frozenset[str]]  # tool, arguments, writes before, gates passed


def state_key(writes: Sequence[tuple[str, bytes]]) -> bytes:
    """What the state depends on: the successful writes so far, in any order."""
    return digest(sorted(f"{name}:{key.hex()}" for name, key in writes))


@dataclass(frozen=True, slots=True)
class Anchor:
    """The answers of one conversation."""

    conversation_id: str
    answers: Mapping[Place, tuple[Recorded, ...]]
    untouched: Mapping[tuple[str, Asked], Recorded]  # what it was told of things it had not written to
    records: Mapping[tuple[str, str], Mapping[str, Json]]  # records as they were before it wrote to them


def anchor_of(conversation_id: str, calls: Sequence[Recorded], world: World) -> Anchor:
    answers: dict[Place, list[Recorded]] = {}
    writes: list[tuple[str, bytes]] = []
    done: frozenset[str] = frozenset()
    state = state_key(writes)
    for call in calls:
        place = (call.name, call.key, state, world.gates_passed(call.name, done))
        answers.setdefault(place, []).append(call)
        if call.is_error:
            continue
        model = world.tools.get(call.name)
        if model is not None and model.kind.writes:
            writes.append((call.name, call.key))
            state = state_key(writes)
        done |= {call.name}
    history = history_of(unwrapped(calls, world.wrapping), world.sites, world.kinds)
    untouched = {
        (call.name, (call.key, world.gates_passed(call.name, before))): call
        for call, before in reversed(history.untouched)
    }
    return Anchor(conversation_id, {k: tuple(v) for k, v in answers.items()}, untouched, history.start)
