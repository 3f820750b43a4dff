"""Labelled conversations in, what they teach out: where the case has a known success, and where it has none."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np

from agent_gym.corpus import Corpus
from agent_gym.reward.cases import Labelled, other_case, own_cases
from agent_gym.reward.combine import DEFAULTS, Fitted, best, raws_of
from agent_gym.reward.fitting import enough_labels, fit_model
from agent_gym.reward.folds import folds_of
from agent_gym.reward.model import Row
from agent_gym.reward.references import References
from agent_gym.reward.signs import Lessons, Terms
from agent_gym.types import Json, Trace

__all__ = ["Witness", "fit_own_case", "fitted_to_others", "fitted_to_own", "witness_of", "witnesses"]


class Witness(NamedTuple):
    """A labelled conversation whose case has no known success, as the fit sees it before it has learned any sign.

    It is small: the conversation itself is not needed any more.
    """

    row: Row
    terms: Terms

    def to_json(self) -> Json:
        return [[dict(self.row.raw), *self.row[1:]], *map(sorted, self.terms)]

    @classmethod
    def of_json(cls, value: Json) -> Self:
        row, *terms = value
        return cls(Row(*row), Terms(*map(frozenset, terms)))


def witnesses(corpus: Corpus, references: References, traces: Iterable[Trace]) -> Iterator[Witness]:
    """Of each trace that says how it ended, beside the best of the successes nearest to it elsewhere."""
    for trace in traces:
        found = other_case(corpus, references, trace, best)
        if found is not None:
            yield witness_of(found)


def witness_of(one: Labelled) -> Witness:
    return Witness(_row(one), Terms.of(one.talk))


def fit_own_case(corpus: Corpus, references: References) -> Fitted:
    return fitted_to_own(own_cases(corpus, references))


def fitted_to_own(known: Sequence[Labelled]) -> Fitted:
    return Fitted(fit_model([_row(one) for one in known]))


def fitted_to_others(seen: Iterable[Witness]) -> Fitted:
    """The signs are learned on all; the model sees each conversation through signs learned on other groups."""
    rows: list[Row] = []

    def read() -> Iterator[Terms]:
        for row, terms in seen:
            rows.append(row)
            yield terms

    lessons = Lessons.of(read())
    if not enough_labels(rows):
        return DEFAULTS
    groups, labels = np.array([row.group for row in rows]), np.array([row.success for row in rows])
    folds = np.array(folds_of(groups.tolist(), labels.tolist()))
    for fold in np.unique(folds):
        others = folds != fold
        signs = lessons.among(others).signs(labels[others], groups[others])
        for at, raw in zip(np.flatnonzero(~others), lessons.among(~others).raws(signs), strict=True):
            rows[at] = rows[at]._replace(raw={**rows[at].raw, **raw})
    return Fitted(fit_model(rows), lessons.signs(labels, groups))


def _row(one: Labelled) -> Row:
    return Row(raws_of(one.talk), one.success, one.group, one.case)
