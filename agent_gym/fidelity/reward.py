"""A corpus and its tools in, the reward card out: every conversation judged by what other groups taught."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from agent_gym.corpus import Corpus
from agent_gym.outcomes import rating_of
from agent_gym.reward.card import Measured, PartCard, RegimeCard, RewardCard
from agent_gym.reward.cases import Labelled, other_cases, own_cases
from agent_gym.reward.combine import Fitted, best, conversation_score, raws_of
from agent_gym.reward.fitting import LEAST_LABELS
from agent_gym.reward.folds import folds_of
from agent_gym.reward.learning import fitted_to_others, fitted_to_own, witness_of
from agent_gym.reward.references import References
from agent_gym.reward.satisfaction import LEAST_RATINGS, fit_satisfaction, rated, scale_of
from agent_gym.stats import auc, bootstrap, brier, calibration_curve, calibration_error
from agent_gym.tool_mocker import ToolMocker

__all__ = ["measure_reward", "within_case"]

_DRAWS = 500


def measure_reward(corpus: Corpus, mocker: ToolMocker) -> RewardCard:
    references = References(corpus, mocker)
    own = own_cases(corpus, references)
    others = other_cases(corpus, references, best) if corpus.labelled else []
    ratings = [rating for trace in corpus.train if (rating := rating_of(trace)) is not None]
    satisfaction = fit_satisfaction(rated(corpus, mocker)) if len(ratings) >= LEAST_RATINGS else None
    return RewardCard(
        own_case=_judged(own, fitted_to_own),
        other_case=_judged(others, lambda known: fitted_to_others(map(witness_of, known))),
        outcomes=corpus.outcomes.table(),
        ratings=len(ratings),
        satisfaction=satisfaction.agreement if satisfaction else None,
        satisfaction_blind=satisfaction.blind if satisfaction else None,
        not_learned=tuple(_not_learned(corpus, own, others, ratings)),
    )


def within_case(cases: Sequence[str], labels: Sequence[bool], scores: Sequence[float]) -> tuple[float, int]:
    """Over the pairs of a success and a failure of one case: how often the success scores higher; ties count half."""
    held: dict[str, list[int]] = defaultdict(list)
    for row, case in enumerate(cases):
        held[case].append(row)
    right, pairs = 0.0, 0
    for rows in held.values():
        good, bad = [scores[row] for row in rows if labels[row]], [scores[row] for row in rows if not labels[row]]
        right += sum((a > b) + (a == b) / 2 for a in good for b in bad)
        pairs += len(good) * len(bad)
    return (right / pairs if pairs else math.nan), pairs


def _judged(known: Sequence[Labelled], fit: Callable[[Sequence[Labelled]], Fitted]) -> RegimeCard | None:
    if not known:
        return None
    labels, groups, cases = [o.success for o in known], [o.group for o in known], [o.case for o in known]
    folds = folds_of(groups, labels)
    scores, chances = [0.0] * len(known), [0.0] * len(known)
    raws: list[Mapping[str, float | None]] = [{} for _ in known]
    for fold in sorted(set(folds)):
        taught = fit([one for one, at in zip(known, folds, strict=True) if at != fold])
        for row in (row for row, at in enumerate(folds) if at == fold):
            score = conversation_score(known[row].talk, taught)
            scores[row], chances[row] = float(score), score.parts["chance"].raw or 0.0
            raws[row] = raws_of(known[row].talk, taught.signs)
    model = fit(known).model
    pairs = within_case(cases, labels, scores)[1]
    return RegimeCard(
        successes=sum(labels),
        failures=len(labels) - sum(labels),
        groups=len(set(groups)),
        fitted="defaults" if model is None else "Platt" if model.calibration is None else "isotonic",
        auc=_measured(groups, lambda at: auc([labels[i] for i in at], [scores[i] for i in at])),
        within_case=_measured(groups, lambda at: _within(at, cases, labels, scores)),
        pairs=pairs,
        brier=brier(labels, chances),
        calibration_error=calibration_error(labels, chances),
        curve=tuple(calibration_curve(labels, chances)),
        parts=tuple(_part(name, raws, labels, model.weights if model else {}) for name in sorted(raws[0])),
    )


def _within(at: Sequence[int], cases: Sequence[str], labels: Sequence[bool], scores: Sequence[float]) -> float:
    return within_case([cases[i] for i in at], [labels[i] for i in at], [scores[i] for i in at])[0]


def _measured(groups: Sequence[int], statistic: Callable[[Sequence[int]], float]) -> Measured:
    members: dict[int, list[int]] = defaultdict(list)
    for row, group in enumerate(groups):
        members[group].append(row)
    low, high = bootstrap(list(members.values()), lambda at: statistic([int(i) for i in at]), draws=_DRAWS)
    return Measured(statistic(range(len(groups))), low, high)


def _part(
    name: str, raws: Sequence[Mapping[str, float | None]], labels: Sequence[bool], weights: Mapping[str, float]
) -> PartCard:
    known = [(label, found) for label, row in zip(labels, raws, strict=True) if (found := row.get(name)) is not None]
    alone = auc([label for label, _ in known], [found for _, found in known])
    return PartCard(name, weights.get(name, 0.0), alone, len(known) / len(raws))


def _not_learned(
    corpus: Corpus, own: Sequence[Labelled], others: Sequence[Labelled], ratings: Sequence[float]
) -> list[str]:
    found = [corpus.outcomes.why] if corpus.outcomes.why else []
    if not corpus.labelled:
        found.append("No conversation says how it ended: each that was not cut off is taken as a success.")
    for known, what in ((own, "another success of its case"), (others, "successes of other cases")):
        good = sum(one.success for one in known)
        if corpus.labelled and min(good, len(known) - good) < LEAST_LABELS:
            found.append(
                f"Beside {what}: {good} successes and {len(known) - good} failures, and a fit takes {LEAST_LABELS} "
                "of each; the published defaults decide."
            )
    if len(ratings) < LEAST_RATINGS:
        found.append(f"Satisfaction: {len(ratings)} ratings, and it takes {LEAST_RATINGS}.")
    elif scale_of(ratings) is None:
        flat = min(ratings) == max(ratings)
        found.append(f"Satisfaction: {'all ratings are the same' if flat else 'ratings on mixed scales'}.")
    return found
