"""A corpus in, what its labels teach out: for conversations whose case has a known success, and for the others."""

from collections.abc import Sequence

import numpy as np

from agent_gym.corpus import Corpus
from agent_gym.reward.cases import Labelled, other_cases, own_cases
from agent_gym.reward.combine import DEFAULTS, Fitted, best, raws_of
from agent_gym.reward.fitting import enough_labels, fit_model
from agent_gym.reward.folds import folds_of
from agent_gym.reward.model import Row
from agent_gym.reward.references import References
from agent_gym.reward.signs import Lessons, Signs

__all__ = ["fit_other_case", "fit_own_case", "fitted_to_others", "fitted_to_own"]


def fit_own_case(corpus: Corpus, references: References) -> Fitted:
    return fitted_to_own(own_cases(corpus, references))


def fit_other_case(corpus: Corpus, references: References) -> Fitted:
    return fitted_to_others(other_cases(corpus, references, best))


def fitted_to_own(known: Sequence[Labelled]) -> Fitted:
    return Fitted(fit_model([_row(one, None) for one in known]))


def fitted_to_others(known: Sequence[Labelled]) -> Fitted:
    """The signs are learned on all; the model sees each conversation through signs learned on other groups."""
    if not enough_labels([Row({}, one.success, one.group) for one in known]):
        return DEFAULTS
    folds = folds_of([one.group for one in known], [one.success for one in known])
    lessons = Lessons.of([one.talk for one in known], [one.success for one in known], [one.group for one in known])
    through = {fold: lessons.among(np.array(folds) != fold).signs for fold in sorted(set(folds))}
    rows = [_row(one, through[fold]) for one, fold in zip(known, folds, strict=True)]
    return Fitted(fit_model(rows), lessons.signs)


def _row(one: Labelled, signs: Signs | None) -> Row:
    return Row(raws_of(one.talk, signs), one.success, one.group, one.case)
