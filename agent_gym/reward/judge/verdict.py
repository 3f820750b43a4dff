"""A score and a judge's verdicts in, the judged score out: a judge can only lower.

Whatever the verdicts, no gate is lifted and no failure becomes a success. So an agent that talks a judge into
something can at best keep the score it had.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent_gym.reward.judge.criteria import Criterion
from agent_gym.types import PartScore, Score

__all__ = ["Verdict", "judged"]

CAP = 0.2  # the most a conversation can score in which a must-have is missing or a pitfall was seen
NICE = 0.5  # the most that all that is nice to have, and is missing, can take off a score
QUOTED = 200  # characters of a quote that an explanation repeats


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about one criterion. `shown` is None where the judge was not asked."""

    criterion: Criterion
    shown: bool | None
    why: str
    quote: str = ""
    flags: tuple[str, ...] = ()

    @property
    def good(self) -> bool | None:
        """Whether it speaks for the conversation: a pitfall does where it is not there."""
        return None if self.shown is None else self.shown != (self.criterion.kind == "pitfall")

    @property
    def lowers(self) -> bool:
        return self.good is False and self.criterion.pull > 0.0


def judged(score: Score, verdicts: Sequence[Verdict]) -> Score:
    """The score with one more part for each verdict, `judge:` and the criterion's name."""
    if not verdicts:
        return score
    broken = [verdict for verdict in verdicts if verdict.lowers and verdict.criterion.kind != "nice"]
    missed = sum(verdict.criterion.pull for verdict in verdicts if verdict.lowers and verdict.criterion.kind == "nice")
    value = float(score) * (1.0 - min(NICE, missed))
    told = " ".join(f"The judge: {verdict.why}." for verdict in _worst_first(verdicts) if verdict.shown is not None)
    before = score.explanation
    if broken and score.success:
        before = f"No success, by the judge alone. Without the judge: {before}"
    return Score(
        min(value, CAP) if broken else value,
        success=score.success and not broken,
        parts=[*score.parts.values(), *map(_part, verdicts)],
        explanation=f"{before} {told}".strip(),
        flags=sorted({*score.flags, *_flags(verdicts, bool(broken))}),
    )


def _part(verdict: Verdict) -> PartScore:
    return PartScore(
        f"judge:{verdict.criterion.name}",
        None if verdict.good is None else float(verdict.good),
        verdict.criterion.pull,
        verdict.why,
        evidence=(verdict.quote,) if verdict.quote else (),
    )


def _worst_first(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda verdict: not verdict.lowers)


def _flags(verdicts: Iterable[Verdict], broken: bool) -> set[str]:
    return {flag for verdict in verdicts for flag in verdict.flags} | ({"judge"} if broken else set())
