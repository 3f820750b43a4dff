"""Attempts in, what they say of the agent out: success, pass^k, reward, and how the episodes went."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean

from agent_gym.evaluation.metering import Price
from agent_gym.evaluation.runfile import Attempt
from agent_gym.llm import Usage
from agent_gym.stats import bootstrap
from agent_gym.types import Json

__all__ = ["Estimate", "Summary", "pass_hat", "summarised"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval, cases resampled whole."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Summary:
    """What an evaluation comes to. Failed attempts (a model that did not answer) count in `failed` alone."""

    episodes: int
    failed: int
    scenarios: int
    success_rate: Estimate
    mean_reward: Estimate
    pass_hat: Mapping[int, Estimate]
    parts: Mapping[str, float]
    turns: float
    tool_errors: float  # per episode
    off_support: float  # the share of episodes that asked what the record cannot answer
    user_errors: float  # the share of episodes in which the simulated customer erred
    endings: Mapping[str, int]
    failures: Mapping[str, int]
    usage: Usage | None = None  # the tokens of all episodes, failed ones too; None where no model counted any
    price: Price | None = None

    @property
    def cost(self) -> float | None:
        """Dollars, where tokens and prices are known."""
        return self.price.of(self.usage) if self.price is not None and self.usage is not None else None

    def to_dict(self) -> dict[str, Json]:
        return {
            "episodes": self.episodes,
            "failed": self.failed,
            "scenarios": self.scenarios,
            "success_rate": self.success_rate.value,
            "success_rate_interval": [self.success_rate.low, self.success_rate.high],
            "mean_reward": self.mean_reward.value,
            "mean_reward_interval": [self.mean_reward.low, self.mean_reward.high],
            "pass^k": {str(k): estimate.to_dict() for k, estimate in self.pass_hat.items()},
            "parts": dict(self.parts),
            "turns": self.turns,
            "tool_errors": self.tool_errors,
            "off_support": self.off_support,
            "user_errors": self.user_errors,
            "endings": dict(self.endings),
            "failures": dict(self.failures),
            "tokens": {"input": self.usage.input_tokens, "output": self.usage.output_tokens} if self.usage else None,
            "cost": self.cost,
        }


def pass_hat(successes: int, trials: int, k: int) -> float:
    """The chance that k trials drawn from these all succeed: the unbiased estimate."""
    return comb(successes, k) / comb(trials, k)


def summarised(attempts: Sequence[Attempt], price: Price | None = None) -> Summary:
    """`pass^k` is given for every k that all scenarios were tried at least k times for."""
    played = [attempt for attempt in attempts if attempt.rollout.score is not None]
    cases: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in played:
        cases[attempt.rollout.conversation_id].append(attempt)
    groups = list(cases.values())
    most = min((len(group) for group in groups), default=0)
    failed = [attempt.rollout.failure for attempt in attempts if attempt.rollout.failure is not None]
    return Summary(
        episodes=len(attempts),
        failed=len(failed),
        scenarios=len(groups),
        success_rate=_estimate(groups, _success),
        mean_reward=_estimate(groups, lambda attempt: float(attempt.rollout.score or 0.0)),
        pass_hat={k: _passed(groups, k) for k in range(1, most + 1)},
        parts=_parts(played),
        turns=_mean(sum(m.trainable for m in a.rollout.messages) for a in played),
        tool_errors=_mean(sum(answer.is_error for _, answer in a.rollout.answers) for a in played),
        off_support=_mean(any(answer.off_support for _, answer in a.rollout.answers) for a in played),
        user_errors=_mean(bool(a.rollout.user_errors) for a in played),
        endings=dict(Counter(a.rollout.ending for a in played).most_common()),
        failures=dict(Counter(text.split(":")[0] for text in failed).most_common()),
        usage=_used(attempts),
        price=price,
    )


def _used(attempts: Sequence[Attempt]) -> Usage | None:
    counted = [attempt.usage for attempt in attempts if attempt.usage is not None]
    if not counted:
        return None
    return Usage(sum(one.input_tokens for one in counted), sum(one.output_tokens for one in counted))


def _success(attempt: Attempt) -> float:
    score = attempt.rollout.score
    return float(score is not None and score.success)


def _estimate(groups: Sequence[Sequence[Attempt]], value: Callable[[Attempt], float]) -> Estimate:
    rows = [[value(attempt) for attempt in group] for group in groups]
    if not rows:
        return Estimate(float("nan"), float("nan"), float("nan"))
    return Estimate(_mean(x for row in rows for x in row), *bootstrap(rows))


def _passed(groups: Sequence[Sequence[Attempt]], k: int) -> Estimate:
    rows = [[pass_hat(sum(map(int, map(_success, group))), len(group), k)] for group in groups]
    return Estimate(_mean(row[0] for row in rows), *bootstrap(rows))


def _parts(played: Sequence[Attempt]) -> dict[str, float]:
    """The mean of every part over the episodes it applies to."""
    found: dict[str, list[float]] = defaultdict(list)
    for attempt in played:
        for name, part in attempt.rollout.score.parts.items() if attempt.rollout.score is not None else ():
            if part.raw is not None:
                found[name].append(part.raw)
    return {name: fmean(values) for name, values in found.items()}


def _mean(values: Iterable[float]) -> float:
    found = [float(value) for value in values]
    return fmean(found) if found else float("nan")
