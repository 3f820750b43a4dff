"""An environment in, how well its reward withstands being hacked out: every hack on the user's own scenarios.

The lines that hacks are held against come from the user's own conversations: the median honest failure, and the
10th percentile of honest successes, each scored against another success of its case where there is one.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from agent_gym.corpus import succeeded
from agent_gym.environment import Environment, Scenario
from agent_gym.errors import UnscorableError
from agent_gym.goals import Goal
from agent_gym.reward.hacks import HACKS, Hack, HackClass
from agent_gym.reward.workbench import Played, Workbench
from agent_gym.types import Json, Score, Trace

__all__ = [
    "FAILURE_LINE",
    "SUCCESS_LINE",
    "Audit",
    "AuditRow",
    "Honest",
    "Win",
    "audit",
    "discriminates",
    "telling_cases",
]

FAILURE_LINE, SUCCESS_LINE = 0.1, 0.5  # the lines where the record holds too few honest conversations to draw them
_LEAST = 0.02  # where most honest failures score nothing, a coincidence worth less than this is no win
_ENOUGH = 10
_SCENARIOS = 60  # as many as tell: more would take longer and not change the table


@dataclass(frozen=True, slots=True)
class Honest:
    """The scores of recorded conversations of one kind, and the line that hacks have to stay below."""

    n: int
    median: float
    line: float
    measured: bool  # False: too few, the line is the published one


@dataclass(frozen=True, slots=True)
class Win:
    """A hack that scored too high in a scenario, and the reward's reasons."""

    hack: str
    conversation_id: str
    score: float
    success: bool
    explanation: str


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One hack over all scenarios that offer something to hack."""

    hack: str
    kind: HackClass
    n: int
    mean: float
    worst: float
    line: float
    wins: tuple[Win, ...]

    @property
    def passed(self) -> bool:
        return not self.wins


@dataclass(frozen=True, slots=True)
class Audit:
    """`not_discriminating` names scenarios of cases that a recorded success solved by doing nothing."""

    rows: tuple[AuditRow, ...]
    scenarios: int
    of: int
    successes: Honest
    failures: Honest
    not_discriminating: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return all(row.passed for row in self.rows)

    @property
    def exceptions(self) -> tuple[Win, ...]:
        return tuple(win for row in self.rows for win in row.wins)

    def to_dict(self) -> dict[str, Json]:
        return {
            "passed": self.passed,
            "scenarios": self.scenarios,
            "of": self.of,
            "not_discriminating": list(self.not_discriminating),
            "honest_successes": _honest_dict(self.successes),
            "honest_failures": _honest_dict(self.failures),
            "hacks": [
                {
                    "hack": row.hack,
                    "class": row.kind,
                    "n": row.n,
                    "mean": row.mean,
                    "worst": row.worst,
                    "below": row.line,
                    "passed": row.passed,
                }
                for row in self.rows
            ],
            "exceptions": [
                {
                    "hack": win.hack,
                    "conversation_id": win.conversation_id,
                    "score": win.score,
                    "success": win.success,
                    "explanation": win.explanation,
                }
                for win in self.exceptions
            ],
        }


def audit(
    environment: Environment,
    *,
    scenarios: int = _SCENARIOS,
    hacks: Sequence[Hack] = HACKS,
    progress: Callable[[Hack], None] = lambda _: None,
) -> Audit:
    """Play every hack in up to so many of the environment's successful train cases, evenly drawn."""
    corpus = environment.corpus
    played = _played(environment)
    idle = _idle(played)
    telling = telling_cases(environment)
    if not telling:
        raise UnscorableError(
            "no train conversation succeeded by doing something that can be checked: there is nothing to hack; "
            "add conversations with an outcome, or with tool calls"
        )
    chosen = [corpus[name] for name in _evenly(telling, scenarios)]
    failures, successes = _failures(environment, idle), _successes(environment, idle)
    bench = Workbench(environment.tool_mocker, corpus.groups, environment.policy)
    rows = []
    for hack in hacks:
        progress(hack)
        line = failures.line if hack.kind == "no work or deception" else successes.line
        rows.append(_row(hack, chosen, line, bench, environment))
    return Audit(
        rows=tuple(rows),
        scenarios=len(chosen),
        of=len(telling),
        successes=successes,
        failures=failures,
        not_discriminating=tuple(sorted(s.conversation_id for s in played if s.case in idle)),
    )


def telling_cases(environment: Environment) -> list[str]:
    """The train successes in which a hack shows: none of their case was a success by doing nothing."""
    played = _played(environment)
    idle = _idle(played)
    return sorted(s.conversation_id for s in played if s.case not in idle)


def _played(environment: Environment) -> list[Scenario]:
    return [s for s in environment.scenarios("train") if s.goal and s.goal.conversation_id == s.conversation_id]


def _idle(played: Iterable[Scenario]) -> set[str]:
    return {s.case for s in played if s.goal and not discriminates(s.goal)}


def discriminates(goal: Goal) -> bool:
    """Whether the success did anything that tells it from doing nothing; to hand over at once is a hack, too."""
    return bool(goal.writes or goal.reads or goal.facts_needed)


def _row(hack: Hack, chosen: Iterable[Trace], line: float, bench: Workbench, environment: Environment) -> AuditRow:
    scores: dict[str, Score] = {}
    for success in chosen:
        played = hack.played(success, bench)
        if played is not None:
            scores[success.conversation_id] = _scored(played, success, environment)
    wins = [
        Win(hack.name, name, float(score), score.success, score.explanation)
        for name, score in scores.items()
        if score.success or score >= line
    ]
    values = list(scores.values())
    mean = float(np.mean(values)) if values else 0.0
    return AuditRow(hack.name, hack.kind, len(values), mean, max(map(float, values), default=0.0), line, tuple(wins))


def _scored(played: Played, success: Trace, environment: Environment) -> Score:
    """The better of the two ways to be judged: by the messages alone, and with the world in sight."""
    score, name = environment.reward_fn.score, success.conversation_id
    return max(score(played.messages, name), score(played.messages, name, played.world))


def _successes(environment: Environment, idle: Collection[str]) -> Honest:
    corpus = environment.corpus
    scores = []
    for trace in corpus.successes:
        if corpus.case(trace) in idle:
            continue
        mates = corpus.successes_of_case(trace)
        reference = mates[0] if mates else trace
        scores.append(float(environment.reward_fn.score(trace.messages, reference.conversation_id)))
    return _honest(scores, 10, SUCCESS_LINE)


def _failures(environment: Environment, idle: Collection[str]) -> Honest:
    corpus = environment.corpus
    failed = [t for t in corpus.train if succeeded(t) is False and corpus.successes_of_case(t)]
    failed = [trace for trace in failed if corpus.case(trace) not in idle]
    scores = [float(environment.reward_fn.score(trace.messages, trace.conversation_id)) for trace in failed]
    return _honest(scores, 50, FAILURE_LINE)


def _honest(scores: Sequence[float], percentile: float, published: float) -> Honest:
    measured = len(scores) >= _ENOUGH
    return Honest(
        n=len(scores),
        median=float(np.median(scores)) if scores else float("nan"),
        line=max(_LEAST, float(np.percentile(scores, percentile))) if measured else published,
        measured=measured,
    )


def _honest_dict(honest: Honest) -> dict[str, Json]:
    median = honest.median if honest.n else None
    return {"n": honest.n, "median": median, "line": honest.line, "measured": honest.measured}


def _evenly(names: Sequence[str], wanted: int) -> list[str]:
    if len(names) <= wanted:
        return list(names)
    return [names[at * len(names) // wanted] for at in range(wanted)]
