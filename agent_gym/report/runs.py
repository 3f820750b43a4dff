"""Evaluation runs in, what they say of the agents out: success, pass^k, where episodes end, and rollouts to read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_gym.environment.rollout import Rollout, parted_at
from agent_gym.evaluation import Attempt, Summary, summarised
from agent_gym.markup import Content, Markup, el, table
from agent_gym.report.charts import Band, Bar, bars, curve
from agent_gym.report.talk import conversation
from agent_gym.types import Json, Score

__all__ = ["NamedRun", "compared", "rollouts", "runs"]

_READ = 12  # rollouts of a run to read
_PAIRS = 6
_REASONS = 8


@dataclass(frozen=True, slots=True)
class NamedRun:
    """The attempts of one run file, and what it says of itself."""

    name: str
    identity: Mapping[str, Json]
    attempts: tuple[Attempt, ...]

    @property
    def title(self) -> str:
        return f"{self.name} ({self.identity.get('agent', 'unknown agent')})"


def runs(found: Sequence[NamedRun]) -> Content:
    if not found:
        return el("p", "No runs were given: agent-gym eval GYM --agent A -o run.jsonl writes one.", class_="soft")
    told = [(run, summarised(list(run.attempts))) for run in found]
    shares = [
        Bar(run.title, s.success_rate.value, s.success_rate.low, s.success_rate.high, f"of {s.episodes:,}")
        for run, s in told
        if s.episodes > s.failed
    ]
    return [
        bars(shares, "Success, with its 95 % interval") if shares else None,
        table(_COLUMNS, (_row(run, s) for run, s in told), numbers=frozenset(range(1, len(_COLUMNS)))),
        _consistency(told),
        el("h3", "Where episodes fail"),
        table(
            ("run", "what", "episodes", "of those that did not succeed"), _failures(found), numbers=frozenset({2, 3})
        ),
        el("h3", "How episodes ended"),
        table(("run", "ending", "episodes", "succeeded"), _endings(found), numbers=frozenset({2, 3})),
    ]


_COLUMNS = (
    "run", "episodes", "failed", "success", "mean reward", "turns", "tool errors", "off support", "customer erred",
)  # fmt: skip


def _consistency(told: Sequence[tuple[NamedRun, Summary]]) -> Content:
    """pass^k: one attempt may be luck."""
    several = [(run, s.pass_hat) for run, s in told if len(s.pass_hat) > 1]
    if not several:
        return None
    most = max(len(passed) for _, passed in several)
    lines = [
        Band(run.name, *([getattr(e, side) for e in passed.values()] for side in ("value", "low", "high")))
        for run, passed in several
    ]
    rows = [
        (run.title, *(f"{e.value:.1%} [{e.low:.1%}, {e.high:.1%}]" for e in passed.values())) for run, passed in several
    ]
    ticks = [f"k = {k}" for k in range(1, most + 1)]
    return [
        curve(lines, "pass^k: the chance that k attempts at a case all succeed, with its 95 % interval", ticks),
        table(("run", *(f"pass^{k}" for k in range(1, most + 1))), rows, numbers=frozenset(range(1, most + 1))),
    ]


def _row(run: NamedRun, s: Summary) -> tuple[Content, ...]:
    return (
        run.title, f"{s.episodes:,}", f"{s.failed:,}",
        f"{s.success_rate.value:.1%} [{s.success_rate.low:.1%}, {s.success_rate.high:.1%}]",
        f"{s.mean_reward.value:.3f} [{s.mean_reward.low:.3f}, {s.mean_reward.high:.3f}]",
        f"{s.turns:.1f}", f"{s.tool_errors:.2f}", f"{s.off_support:.1%}", f"{s.user_errors:.1%}",
    )  # fmt: skip


def _failures(found: Sequence[NamedRun]) -> list[tuple[str, str, str, str]]:
    """What the unsuccessful episodes of each run have in common."""
    rows = []
    for run in found:
        lost = [a.rollout for a in run.attempts if a.rollout.score is not None and not a.rollout.score.success]
        seen = Counter(reason for rollout in lost for reason in sorted(set(_reasons(rollout))))
        rows += [(run.title, reason, f"{n:,}", f"{n / len(lost):.0%}") for reason, n in seen.most_common(_REASONS)]
    return rows


def _reasons(rollout: Rollout) -> Iterator[str]:
    score = rollout.score
    if score is None:
        return
    yield from (f"flag: {flag.replace('_', ' ')}" for flag in (*score.flags, *rollout.flags))
    # The chance is made of the other parts: it would say the same again.
    for part in score.parts.values():
        if part.raw == 0 and part.weight and part.name != "chance":
            yield f"part without a point: {part.name.replace('_', ' ')}"
    yield from (f"error from {call.name}" for call, answer in rollout.answers if answer.is_error)
    if any(answer.off_support for _, answer in rollout.answers):
        yield "asked what the record cannot answer"
    if rollout.user_errors:
        yield "the customer erred"


def _endings(found: Sequence[NamedRun]) -> list[tuple[str, str, str, str]]:
    rows = []
    for run in found:
        scored = [a for a in run.attempts if a.rollout.score is not None]
        ended = Counter(a.rollout.ending for a in scored)
        won = Counter(a.rollout.ending for a in scored if _success(a))
        rows += [
            (run.title, ending.replace("_", " "), f"{n:,}", f"{won[ending] / n:.0%}")
            for ending, n in ended.most_common()
        ]
    return rows


def rollouts(found: Sequence[NamedRun]) -> Content:
    """Of each run, failures first: they are what one wants to read."""
    shown: list[Content] = []
    for run in found:
        ranked = sorted(run.attempts, key=lambda a: (_value(a.rollout.score), a.key))
        some = [ranked[at * len(ranked) // _READ] for at in range(_READ)] if len(ranked) > _READ else ranked
        shown.append(el("h3", run.title))
        if len(ranked) > _READ:
            shown.append(el("p", f"{_READ} of {len(ranked):,}, from the lowest score to the highest.", class_="soft"))
        shown.append(el("div", [_rollout(attempt) for attempt in some]))
    return shown or el("p", "None.", class_="soft")


def _value(score: Score | None) -> float:
    return -1.0 if score is None else float(score)


def _rollout(attempt: Attempt) -> Markup:
    rollout, score = attempt.rollout, attempt.rollout.score
    verdict = (
        "failed from outside"
        if score is None
        else f"{float(score):.2f}, {'success' if score.success else 'no success'}"
    )
    sources = Counter(answer.source for _, answer in rollout.answers)
    told = ", ".join(f"{count} {source}" for source, count in sources.most_common())
    return el(
        "details",
        el(
            "summary",
            rollout.conversation_id,
            el(
                "span",
                f" · {verdict} · {rollout.ending.replace('_', ' ')}{' · answers: ' + told if told else ''}",
                class_="soft",
            ),
        ),
        el("p", score.explanation) if score is not None else el("p", rollout.failure or ""),
        _parts(score) if score is not None else None,
        [el("p", f"The customer erred: {error}", class_="thin") for error in rollout.user_errors],
        conversation(rollout.messages, rollout.answers),
    )


def _parts(score: Score) -> Content:
    rows = [(p.name, f"{p.raw:.2f}", f"{p.weight:.2f}", p.why) for p in score.parts.values() if p.raw is not None]
    return el(
        "details",
        el("summary", "the reward's parts"),
        table(("part", "raw", "weight", "why"), rows, numbers=frozenset({1, 2})),
    )


def compared(first: NamedRun, second: NamedRun) -> Content:
    """Cases in which two runs came out differently, side by side, the first divergence marked."""
    other = {attempt.key: attempt for attempt in second.attempts}
    pairs = [(a, other[a.key]) for a in first.attempts if a.key in other and a.rollout.score is not None]
    apart = [(a, b) for a, b in pairs if b.rollout.score is not None and _success(a) is not _success(b)]
    better = sum(_success(b) for _, b in apart)
    head = (
        f"{len(pairs):,} attempts at the same cases; {len(apart):,} came out differently: {better:,} only "
        f"{second.title} solved, {len(apart) - better:,} only {first.title}."
    )
    return [el("p", head), [_side_by_side(first, a, second, b) for a, b in apart[:_PAIRS]]]


def _success(attempt: Attempt) -> bool:
    return attempt.rollout.score is not None and attempt.rollout.score.success


def _side_by_side(first: NamedRun, a: Attempt, second: NamedRun, b: Attempt) -> Markup:
    parted = parted_at(a.rollout.messages, b.rollout.messages)
    return el(
        "details",
        el("summary", a.rollout.conversation_id, el("span", f" · they part at message {parted + 1}", class_="soft")),
        el(
            "div",
            *(
                el(
                    "div",
                    el("h3", f"{run.title}: {_value(one.rollout.score):.2f}"),
                    conversation(one.rollout.messages, one.rollout.answers, marked=parted),
                )
                for run, one in ((first, a), (second, b))
            ),
            class_="pair",
        ),
    )
