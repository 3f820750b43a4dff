"""Finished episodes in, rewards out, None where an episode teaches nothing; and what a training run should log."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agent_gym.environment.episode import Episode
from agent_gym.environment.rollout import Rollout, rolled_out
from agent_gym.errors import OffSupportError
from agent_gym.reward.combine import HELD_AGAINST

__all__ = ["Scoring"]

_MOST_OFF_SUPPORT = 0.2
_MIN_EPISODES = 50  # before the share says anything

LogMetric = Callable[[str, float], Any]


@dataclass(slots=True)
class Scoring:
    """The rewards of one training run, and how many of its episodes left the record."""

    episodes: int = 0
    off_support: int = 0

    def rewards(self, episodes: Sequence[Episode], log_metric: LogMetric | None = None) -> list[float | None]:
        """An episode that the tools could not answer, or in which the customer erred, is masked: it teaches nothing.

        One that ran out of room is scored as far as it came.
        """
        rollouts = [_finished(episode) for episode in episodes]
        self.episodes += len(rollouts)
        self.off_support += sum(rollout.off_support for rollout in rollouts)
        if log_metric is not None:
            self._log(rollouts, log_metric)
        if self.episodes >= _MIN_EPISODES and self.off_support > _MOST_OFF_SUPPORT * self.episodes:
            raise OffSupportError(
                f"{self.off_support} of {self.episodes} episodes asked the tools what the record cannot answer: "
                "train on the cases it covers (agent-gym fidelity names them), or add conversations of the others"
            )
        return [None if rollout.masked or rollout.score is None else float(rollout.score) for rollout in rollouts]

    def log(self, episodes: Sequence[Episode], log_metric: LogMetric) -> None:
        """For episodes whose rewards are asked for one by one."""
        self._log([_finished(episode) for episode in episodes], log_metric)

    def _log(self, rollouts: Sequence[Rollout], log_metric: LogMetric) -> None:
        for name, value in self._metrics(rollouts).items():
            log_metric(name, value)

    def _metrics(self, rollouts: Sequence[Rollout]) -> dict[str, float]:
        count = len(rollouts)
        sources = Counter(answer.source for rollout in rollouts for _, answer in rollout.answers)
        calls = sum(sources.values())
        return {
            "gym/success": sum(rollout.score is not None and rollout.score.success for rollout in rollouts) / count,
            "gym/masked": sum(rollout.masked for rollout in rollouts) / count,
            "gym/off_support": sum(rollout.off_support for rollout in rollouts) / count,
            "gym/user_errors": sum(bool(rollout.user_errors) for rollout in rollouts) / count,
            "gym/malformed": sum("malformed_action" in rollout.flags for rollout in rollouts) / count,
            "gym/tool_calls": calls / count,
            "gym/hacks": sum(_held_against(rollout) for rollout in rollouts) / count,
            **{f"gym/answers/{source}": sources[source] / calls for source in sorted(sources)},
        }


def _finished(episode: Episode) -> Rollout:
    if episode.score is None:
        episode.score = episode.score_now()  # cut off for want of room: what stands is what counts
    return rolled_out(episode)


def _held_against(rollout: Rollout) -> bool:
    """Whether a gate of the reward fired: words without the deed, a write that nobody wanted, no work at all."""
    return rollout.score is not None and not HELD_AGAINST.isdisjoint(rollout.score.flags)
