"""Conversations of several agents in, whether a gym ranks them as they really did out.

The agents are parted in two. What each agent of the one half said and called is replayed in a gym of the other
half's conversations: its customers, its tools and its goals come from other agents' attempts at the same cases.
How often that ends well stands beside how often the log says it did.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan

import numpy as np

from agent_gym.environment import Environment, create_environment, play
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.stats import Rate, rate, spearman
from agent_gym.types import Json, Trace

__all__ = ["AgentRank", "Ranking", "agent_key", "measure_ranking"]

# Where logs and gateways note who answered, the most telling first.
_KEYS = ("agent", "agent_name", "agent_id", "assistant", "bot", "model", "model_name", "policy", "version", "run")
_AGENTS = 3  # a ranking of two is a coin's
_EACH = 8  # conversations of an agent at least
_PLAYED = 30  # of each agent at most; more would take minutes and change little
_MINED = 400  # conversations of each half at most
_DRAWS = 1000
_NONE = rate(0, 0)


@dataclass(frozen=True, slots=True)
class AgentRank:
    """One recorded agent: how often it succeeded, by the log and in the gym, in the same cases."""

    name: str
    real: Rate
    live: Rate


@dataclass(frozen=True, slots=True)
class Ranking:
    """`why` says why there is none, and the rest is empty. `ordered`: the pairs that differ, and do so as in truth."""

    key: str = ""
    agents: tuple[AgentRank, ...] = ()
    spearman: float = nan
    interval: tuple[float, float] = (nan, nan)
    ordered: Rate = _NONE
    why: str = ""

    def to_dict(self) -> dict[str, Json]:
        if self.why:
            return {"agents": 0, "why": self.why}
        return {
            "key": self.key,
            "agents": len(self.agents),
            "conversations": sum(agent.real.n for agent in self.agents),
            "spearman": None if isnan(self.spearman) else self.spearman,
            "spearman_interval": list(self.interval),
            "pairs": self.ordered.n,
            "ordered": None if isnan(self.ordered.value) else self.ordered.value,
            "by_agent": {
                agent.name: {
                    "conversations": agent.real.n,
                    "real": agent.real.value,
                    "real_interval": [agent.real.low, agent.real.high],
                    "live": agent.live.value,
                    "live_interval": [agent.live.low, agent.live.high],
                }
                for agent in self.agents
            },
        }


_Ended = tuple[bool, bool]  # well by the log, well in the gym


def measure_ranking(traces: Sequence[Trace]) -> Ranking:
    key = agent_key(traces)
    if key is None:
        named = ", ".join(_KEYS)
        return Ranking(
            why=f"the log does not say who answered: at least {_AGENTS} agents with {_EACH} conversations each, "
            f"named in metadata ({named})"
        )
    by_agent = _by_agent(traces, key)
    names = sorted(by_agent, key=lambda name: hashlib.sha256(name.encode()).digest())
    ended: dict[str, list[_Ended]] = {}
    for built, played in ((names[::2], names[1::2]), (names[1::2], names[::2])):
        ended |= _ended(_of(by_agent, built), {name: by_agent[name] for name in played})
    telling = {name: rows for name, rows in sorted(ended.items()) if len(rows) >= _EACH}
    if len(telling) < _AGENTS:
        return Ranking(
            why="too few cases were met by several agents and say how they ended: conversations of one case carry "
            "the same metadata.task_id or case_id"
        )
    return _ranked(key, telling)


def agent_key(traces: Sequence[Trace]) -> str | None:
    """The metadata that names enough agents."""
    return next((key for key in _KEYS if len(_by_agent(traces, key)) >= _AGENTS), None)


def _by_agent(traces: Sequence[Trace], key: str) -> dict[str, list[Trace]]:
    found: dict[str, list[Trace]] = {}
    for trace in traces:
        name = trace.metadata.get(key)
        if isinstance(name, str | int) and not isinstance(name, bool):
            found.setdefault(str(name), []).append(trace)
    return {name: own for name, own in found.items() if len(own) >= _EACH}


def _of(by_agent: Mapping[str, Sequence[Trace]], names: Sequence[str]) -> list[Trace]:
    return _evenly([trace for name in names for trace in by_agent[name]], _MINED)


def _ended(mined: Sequence[Trace], played: Mapping[str, Sequence[Trace]]) -> dict[str, list[_Ended]]:
    environment = create_environment(mined, agent="embedded")
    cases = {s.case: s.conversation_id for s in environment.scenarios() if s.scorable}
    return {name: list(_attempts(environment, cases, traces)) for name, traces in played.items()}


def _attempts(environment: Environment, cases: Mapping[str, str], traces: Sequence[Trace]) -> Iterator[_Ended]:
    corpus = environment.corpus
    known = [trace for trace in traces if corpus.case(trace) in cases and corpus.succeeded(trace) is not None]
    for trace in _evenly(known, _PLAYED):
        live = play(environment.episode(cases[corpus.case(trace)]), ReplayAgent(trace))
        if live.score is not None:
            yield bool(corpus.succeeded(trace)), live.score.success


def _ranked(key: str, ended: Mapping[str, Sequence[_Ended]]) -> Ranking:
    agents = tuple(
        AgentRank(name, rate(sum(real for real, _ in rows), len(rows)), rate(sum(live for _, live in rows), len(rows)))
        for name, rows in ended.items()
    )
    pairs = [
        (a.real.value - b.real.value) * (a.live.value - b.live.value) > 0
        for a, b in combinations(agents, 2)
        if a.real.value != b.real.value
    ]
    return Ranking(
        key=key,
        agents=tuple(sorted(agents, key=lambda agent: (-agent.real.value, agent.name))),
        spearman=spearman([agent.real.value for agent in agents], [agent.live.value for agent in agents]),
        interval=_interval([np.array(rows, float) for rows in ended.values()]),
        ordered=rate(sum(pairs), len(pairs)),
    )


def _interval(groups: Sequence[np.ndarray[tuple[int, int], np.dtype[np.float64]]]) -> tuple[float, float]:
    """Conversations drawn anew within each agent: the agents are who they are."""
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(_DRAWS):
        means = np.array([rows[rng.integers(0, len(rows), len(rows))].mean(axis=0) for rows in groups])
        found = spearman(means[:, 0], means[:, 1])
        if not isnan(found):
            drawn.append(found)
    return (float(np.percentile(drawn, 2.5)), float(np.percentile(drawn, 97.5))) if drawn else (nan, nan)


def _evenly(traces: Sequence[Trace], at_most: int) -> list[Trace]:
    n = min(at_most, len(traces))
    return [traces[at * len(traces) // n] for at in range(n)] if n else []
