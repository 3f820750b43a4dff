"""How learning is measured: by cases, and against a log in which every case ends well."""

from agent_gym.sample import generate
from benchmarks.learning import gain, interval
from benchmarks.learning_bound import ended_well


def test_conversations_of_one_case_are_drawn_together():
    values, cases = [1.0] * 10 + [0.0] * 10, ["a"] * 10 + ["b"] * 10
    assert interval(values, cases) == "0.500 [0.000, 1.000]"
    assert interval(values) == "0.500 [0.300, 0.700]"
    assert gain([0.0] * 20, values, cases) == "+0.500 [+0.000, +1.000]"


def test_what_ended_badly_is_played_again_and_what_ended_well_is_not():
    log = generate(2, 40)
    bad, good = ([each for each in log if each.success is success] for success in (False, True))
    assert bad and all(ended_well(each) is each.trace for each in good)
    again = [ended_well(each) for each in bad]
    assert [trace.conversation_id for trace in again] == [each.trace.conversation_id for each in bad]
    assert sum(trace.outcome == "resolved" for trace in again) >= 0.9 * len(bad)
