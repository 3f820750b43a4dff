"""What more data would bring: the same unseen calls asked of ever more of the log, and what follows from it."""

import pytest

from agent_gym.fidelity.advice import Refusals, advised
from agent_gym.fidelity.growth import Growth, grown
from agent_gym.fidelity.held_out import measure_held_out
from agent_gym.stats import Rate, grouped_rate, rate
from agent_gym.types import Trace
from tests.environment import clinic


def curve(tool: str, half: float, whole: float, talks: int = 40, examples: int = 80) -> Growth:
    """A tool that was right in so many of its unseen calls, two in each conversation."""

    def hits(share: float) -> list[list[bool]]:
        return [[at < round(share * talks)] * 2 for at in range(talks)]

    return grown(tool, [examples // 4, examples // 2, examples], [hits(0.0), hits(half), hits(whole)])


def told(right: Rate, growth: Growth, **refusals: Refusals) -> str:
    (advice,) = advised({growth.tool: right}, [growth], refusals)
    return advice.words


def test_a_tool_that_still_learns_is_told_from_one_that_does_not():
    assert curve("look_up", 0.4, 0.8).grows
    assert not curve("look_up", 0.6, 0.6).grows


def test_what_still_learns_is_worth_recording_more_of():
    words = told(rate(64, 80), curve("look_up", 0.4, 0.8))
    assert "80% right on 80 recorded calls" in words and "+40 points" in words and "as many again" in words


def test_what_does_not_learn_is_not_in_the_conversations():
    assert "is not in the conversations" in told(rate(48, 80), curve("search", 0.6, 0.6))


def test_thin_evidence_says_how_many_calls_make_a_verdict():
    thin = grown("refund", [2, 4, 8], [[[False, False]], [[False, False]], [[True, True]]])
    assert told(rate(2, 2), thin) == "refund: 8 recorded calls; about 72 more would allow a verdict"


def test_rare_refusals_are_named():
    rare = Refusals(5, rate(1, 4))
    assert "its refusals are rare, 5 in the log" in told(rate(60, 80), curve("cancel", 0.75, 0.75), cancel=rare)


def test_a_tool_that_is_right_needs_no_advice():
    assert advised({"get": rate(80, 80)}, [curve("get", 1.0, 1.0)], {}) == ()


def test_the_greatest_gain_comes_first_then_the_least_to_record():
    by_tool = {"a": rate(64, 80), "b": rate(32, 80), "thin": rate(2, 4)}
    curves = [curve("a", 0.6, 0.8), curve("b", 0.0, 0.4), grown("thin", [1, 2, 4], [[[False]], [[False]], [[True]]])]
    assert [advice.tool for advice in advised(by_tool, curves, {})] == ["b", "a", "thin"]


def test_calls_of_one_conversation_count_as_one_piece_of_evidence():
    together = grouped_rate([[True] * 10, [False] * 10] * 5)
    apart = grouped_rate([[True], [False]] * 50)
    assert (together.value, together.n) == (apart.value, apart.n) == (0.5, 100)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_an_interval_is_never_narrower_than_so_few_calls_allow():
    assert grouped_rate([[True]] * 4) == rate(4, 4)
    assert grouped_rate([[], []]).n == 0


@pytest.fixture(scope="module")
def log() -> list[Trace]:
    return [Trace.of(trace) for trace in clinic.traces()]


def test_held_out_calls_stand_beside_a_cassette_and_the_nearest_neighbour(log):
    found = measure_held_out(log, log[:3]).against
    assert found is not None and set(found.beside) == {"cassette", "nearest neighbour"}
    assert {one.n for one in found.beside.values()} == {found.calls} and found.exact.value == 1.0


def test_every_tool_asked_about_has_its_curve_and_verdict(log):
    told = measure_held_out(log, log[:3]).to_dict()
    assert set(told["growth"]) == set(told["by_tool"]) == {"get_visit", "cancel_visit"}
    assert [step["examples"] for step in told["growth"]["get_visit"]["steps"]][-1] == clinic.PATIENTS
    assert {row["verdict"] for row in told["by_tool"].values()} == {"thin"}
