"""Outcome labels: declared where the word is known, learned where ratings tell, silent elsewhere."""

import math

from agent_gym.corpus import Corpus
from agent_gym.outcomes import outcomes_of, rating_of
from agent_gym.types import Trace


def traces(label: str | None, rating: float | None, n: int = 12) -> list[Trace]:
    return [Trace(f"{label}-{rating}-{i}", (), label, rating) for i in range(n)]


KNOWN = [*traces("resolved", 5.0), *traces("failed", 1.0)]


def test_a_label_nobody_declared_is_learned_from_its_ratings():
    found = outcomes_of([*KNOWN, *traces("wrapped_up", 4.0), *traces("gone", 2.0)])
    meaning = {row.label: (row.success, row.how) for row in found.labels}
    assert meaning["wrapped_up"] == (True, "learned")
    assert meaning["gone"] == (False, "learned")
    assert meaning["failed"] == (False, "declared")


def test_a_label_in_the_middle_decides_nothing_and_is_named():
    found = outcomes_of([*KNOWN, *traces("so_so", 3.0)])
    assert found.meaning().get("so_so") is None
    assert "'so_so'" in found.why


def test_ratings_that_do_not_tell_good_from_bad_teach_nothing():
    noisy = [*traces("resolved", 5.0), *traces("resolved", 1.0), *traces("failed", 5.0), *traces("failed", 1.0)]
    assert "hardly tell" in outcomes_of([*noisy, *traces("wrapped_up", 5.0)]).why


def test_too_few_ratings_teach_nothing():
    found = outcomes_of([*traces("resolved", 5.0, 3), *traces("failed", 1.0, 3), *traces("wrapped_up", 5.0)])
    assert "too few" in found.why
    assert found.meaning().get("wrapped_up") is None


def test_a_rating_that_is_no_number_is_no_rating():
    assert rating_of(Trace("a", (), satisfaction_score=math.nan)) is None
    learned = outcomes_of([*KNOWN, *traces("wrapped_up", math.nan)])
    assert learned.meaning().get("wrapped_up") is None


def test_the_corpus_counts_a_learned_success_as_one():
    corpus = Corpus([*KNOWN, *traces("wrapped_up", 5.0)])
    assert corpus.succeeded(corpus["wrapped_up-5.0-0"]) is True
    assert len(corpus.successes) == 24


def test_the_table_says_what_every_label_counts_as_and_why():
    table = outcomes_of([*KNOWN, *traces("odd", None), *traces(None, None)]).table()
    assert "odd" in table and "nothing" in table and "declared" in table
    assert "(none given)" in table
