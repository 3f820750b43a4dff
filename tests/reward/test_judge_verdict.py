"""Whatever a judge finds: no gate is lifted, no failure becomes a success, no score rises."""

from hypothesis import given
from hypothesis import strategies as st

from agent_gym.reward.judge import Criterion, Verdict, judged
from agent_gym.types import PartScore, Score

CRITERIA = st.builds(
    Criterion,
    text=st.sampled_from(["It was done.", "It was said.", "It was kind."]),
    kind=st.sampled_from(["must", "nice", "pitfall"]),
    weight=st.none() | st.floats(0.0, 1.0),
)
VERDICTS = st.lists(st.builds(Verdict, CRITERIA, st.none() | st.booleans(), st.just("so it is")), max_size=5)
SCORES = st.builds(Score, st.floats(0.0, 1.0), success=st.booleans(), flags=st.just(("claims",)))


@given(SCORES, VERDICTS)
def test_a_judge_can_only_lower(score: Score, verdicts: list[Verdict]):
    after = judged(score, verdicts)
    assert 0.0 <= after <= score
    assert score.success or not after.success
    assert set(score.flags) <= set(after.flags)


@given(SCORES, VERDICTS)
def test_what_the_judge_was_not_asked_changes_nothing(score: Score, verdicts: list[Verdict]):
    after = judged(score, [Verdict(verdict.criterion, None, "not asked") for verdict in verdicts])
    assert (float(after), after.success) == (float(score), score.success)
    assert all(not part.applicable for part in after.parts.values())


def test_the_parts_that_were_there_stay():
    score = Score(1.0, success=True, parts=[PartScore("end_state", 1.0, 1.0, "as wanted")], explanation="Success.")
    after = judged(score, [Verdict(Criterion("It was kind.", id="kind"), False, "no kindness")])
    assert list(after.parts) == ["end_state", "judge:kind"]
    assert after.explanation.startswith("No success, by the judge alone.")
    assert "no kindness" in after.explanation
