"""One recorded conversation in, its own answers out: what an anchored session prefers to all else.

Answers are keyed by tool, arguments, the writes made before and the gates passed (tools that others need to
have answered first), not by position, so that an agent may ask in another order; the same question asked
again gets the next recorded answer, then the last one again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent_gym.text import digest
from agent_gym.tool_mocker.mining.answers import Asked
from agent_gym.tool_mocker.mining.history import History, history_of
from agent_gym.tool_mocker.recorded import Recorded, recorded_calls, unwrapped
from agent_gym.tool_mocker.world import World
from agent_gym.types import Json, Trace

__all__ = ["Anchor", "Place", "state_key"]


Place = tuple[str, bytes, bytes, frozenset[str]]  # tool, arguments, writes before, gates passed


def state_key(writes: Sequence[tuple[str, bytes]]) -> bytes:
    """What the state depends on: the successful writes so far, in any order."""
    return digest(sorted(f"{name}:{key.hex()}" for name, key in writes))


@dataclass(frozen=True, eq=False)
class Anchor:
    """The answers of one conversation, each read off it when first asked for: most sessions never leave its path."""

    trace: Trace
    world: World

    @cached_property
    def answers(self) -> Mapping[Place, Sequence[Recorded]]:
        answers: dict[Place, list[Recorded]] = {}
        writes: list[tuple[str, bytes]] = []
        done: frozenset[str] = frozenset()
        state = state_key(writes)
        for call in self._calls:
            place = (call.name, call.key, state, self.world.gates_passed(call.name, done))
            answers.setdefault(place, []).append(call)
            if call.is_error:
                continue
            model = self.world.tools.get(call.name)
            if model is not None and model.kind.writes:
                writes.append((call.name, call.key))
                state = state_key(writes)
            done |= {call.name}
        return answers

    @cached_property
    def untouched(self) -> Mapping[tuple[str, Asked], Recorded]:
        """What it was told of things it had not written to."""
        return {
            (call.name, (call.key, self.world.gates_passed(call.name, before))): call
            for call, before in reversed(self._history.untouched)
        }

    @property
    def records(self) -> Mapping[tuple[str, str], Mapping[str, Json]]:
        """Records as they were before it wrote to them."""
        return self._history.start

    @cached_property
    def _calls(self) -> Sequence[Recorded]:
        return recorded_calls(self.trace)

    @cached_property
    def _history(self) -> History:
        return history_of(unwrapped(self._calls, self.world.wrapping), self.world.sites, self.world.kinds)
