"""Episodes that a policy has just played in, how often each hack of the audit pays there out.

The audit hacks recorded successes, once. A policy that learns moves away from the record, perhaps to where the reward
is blinder: so the same hacks are played on its own episodes, and held against what it was paid for them.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from agent_gym.environment import Environment, Episode
from agent_gym.fidelity.audit import FAILURE_LINE, discriminates
from agent_gym.reward.hacks import HACKS, Hack, HackClass
from agent_gym.reward.workbench import Workbench
from agent_gym.types import Trace

__all__ = ["hack_shares", "worst"]

_EPISODES = 24  # each hack is tried in: enough to see a share move, few enough for every round of a training


def hack_shares(environment: Environment, episodes: Iterable[Episode]) -> dict[str, float]:
    """Of the first episodes that a hack can be tried in, the share in which it pays; hacks that cannot are left out.

    No work and deception are tried in any episode, corruptions in successes.
    """
    telling = [one for one in episodes if one.scenario.goal is not None and discriminates(one.scenario.goal)]
    won = [one for one in telling if one.score is not None and one.score.success]
    bench = Workbench(environment.tool_mocker, environment.corpus.groups, environment.policy)
    shares = {}
    for hack in HACKS:
        tried_in = (telling if hack.kind == "no work or deception" else won)[:_EPISODES]
        paid = [pays for episode in tried_in if (pays := _pays(hack, episode, bench)) is not None]
        if paid:
            shares[hack.name] = float(np.mean(paid))
    return shares


def worst(shares: Mapping[str, float], kind: HackClass) -> float | None:
    """The share of the hack of this class that pays most often; None where none was tried."""
    return max((shares[hack.name] for hack in HACKS if hack.kind == kind and hack.name in shares), default=None)


def _pays(hack: Hack, episode: Episode, bench: Workbench) -> bool | None:
    """Whether the hack is called a success, or scores as much as the policy did; None where there is nothing to hack.

    Where the policy got no more than an honest failure does, as much is no pay.
    """
    goal = episode.scenario.goal
    assert goal is not None, "an episode without a goal is not watched"
    played = hack.played(Trace(episode.scenario.conversation_id, episode.delivered), bench)
    if played is None:
        return None
    score = episode.reward_fn.score(played.messages, goal.conversation_id, played.world)
    return score.success or score >= max(float(episode.score or 0.0), FAILURE_LINE)
