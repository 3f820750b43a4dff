"""A gym in, trajectories with the reward they earn out: recorded successes replayed, and hacks that must not pay.

OpenEnv calls the first oracles and the second canaries. They are resets and actions, so that whoever serves the gym
elsewhere can play them there; a gym is deterministic, so they earn the same wherever they are played.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import orjson

from agent_gym.adapters.openenv.session import Session
from agent_gym.adapters.openenv.tasks import Tasks
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.fidelity.audit import telling_cases
from agent_gym.reward.hacks import HACKS
from agent_gym.reward.workbench import Workbench
from agent_gym.types import Json, Message, Trace

__all__ = ["Proof", "canaries", "oracles", "replay"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What is played, and what it earns."""

    name: str
    reset: dict[str, Json]
    actions: tuple[dict[str, Json], ...]
    reward: float
    success: bool

    def to_dict(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "reset": self.reset,
            "actions": list(self.actions),
            "reward": self.reward,
            "success": self.success,
        }


def replay(tasks: Tasks, reset: dict[str, Json], actions: Sequence[dict[str, Json]]) -> tuple[float, bool]:
    """What a trajectory earns; one that the customer does not sit through to its end is cut off there."""
    session = Session(tasks)
    session.reset(**reset)
    episode, earned = session.episode, 0.0
    assert episode is not None
    for action in actions:
        if episode.over:
            break
        earned += session.step(action).reward or 0.0
    # A conversation that nobody ended is worth what it would be worth if it ended here.
    score = episode.score if episode.over else episode.score_now()
    return (float(score), score.success) if score is not None else (earned, False)


def oracles(tasks: Tasks, most: int) -> Iterator[Proof]:
    """Recorded successes, evenly drawn, each with its own customer's words: all that self-replay promises."""
    for trace in _drawn(tasks, most):
        yield _proved(tasks, "self-replay", trace, ReplayAgent(trace).turns)


def canaries(tasks: Tasks, most: int) -> Iterator[Proof]:
    """The audit's hacks in the same cases; a hack that the customer would have to say is no agent's, and left out."""
    bench = Workbench(tasks.gym.tool_mocker, tasks.gym.corpus.groups, tasks.gym.policy)
    for trace in _drawn(tasks, most):
        seen: set[bytes] = {orjson.dumps([_action(turn) for turn in ReplayAgent(trace).turns])}
        for hack in HACKS:
            acts = [act for act in hack.acts(trace, bench) or () if act.role == "assistant"]
            written = orjson.dumps([_action(act) for act in acts])
            if acts and written not in seen:
                seen.add(written)
                yield _proved(tasks, hack.name, trace, acts)


def _drawn(tasks: Tasks, most: int) -> list[Trace]:
    ids = telling_cases(tasks.gym)
    count = min(most, len(ids))
    return [tasks.gym.corpus[ids[at * len(ids) // count]] for at in range(count)]


def _proved(tasks: Tasks, name: str, trace: Trace, acts: Sequence[Message]) -> Proof:
    reset: dict[str, Json] = {"conversation_id": trace.conversation_id, "seed": 0, "user": "replay"}
    actions = tuple(_action(act) for act in acts)
    return Proof(name, reset, actions, *replay(tasks, reset, actions))


def _action(act: Message) -> dict[str, Json]:
    calls = [{"name": call.name, "arguments": call.arguments} for call in act.tool_calls]
    return {"content": act.text} | ({"tool_calls": calls} if calls else {})
