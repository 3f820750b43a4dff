"""How true the tools are: a small case whose every number is known, and the baselines to beat."""

import math

import pytest

from agent_gym.fidelity import measure_tools
from agent_gym.fidelity.baselines import Cassette, Neighbour
from agent_gym.fidelity.compare import compared, field_f1
from agent_gym.fidelity.tools import ask_all, summary
from agent_gym.tool_mocker.log import Recorded, recorded_calls
from agent_gym.types import Json, ToolAnswer, Trace
from tests.environment import clinic
from tests.environment.clinic import call, calls, told, visit


def conversation(*made: tuple[str, int, Json]) -> Trace:
    messages = [clinic.user("Hello")]
    for at, (name, i, result) in enumerate(made):
        messages += [calls(call(name, i, f"k{at}")), {**told(name, result), "tool_call_id": f"k{at}"}]
    return Trace.of({"conversation_id": "held-out", "messages": messages})


HELD_OUT = conversation(
    ("get_visit", 1, visit(1)),
    ("cancel_visit", 1, visit(1, "cancelled")),
    ("get_visit", 1, visit(1, "cancelled")),
    ("get_visit", 1, visit(1, "on hold")),  # nobody can know
    ("get_lab_report", 1, {"report": "fine"}),  # nobody has ever asked
)


def recorded(result: Json, is_error: bool = False) -> Recorded:
    return Recorded("c", "f", {}, b"", result, result, is_error)


def test_every_held_out_call_is_counted_as_it_compares(desk):
    found = measure_tools(desk.tool_mocker, [HELD_OUT])
    assert (found.calls, found.exact.value) == (5, 3 / 5)
    assert found.field_f1 == pytest.approx((3 + 2 / 3) / 5)
    assert (found.right_type.value, found.error_agreement.value) == (4 / 5, 4 / 5)
    assert {tool: (r.value, r.n) for tool, r in found.by_tool.items()} == {
        "cancel_visit": (1.0, 1),
        "get_lab_report": (0.0, 1),
        "get_visit": (2 / 3, 3),
    }


def test_calls_after_a_write_are_counted_apart(desk):
    found = measure_tools(desk.tool_mocker, [HELD_OUT]).after_write
    assert (found.value, found.n) == (1 / 3, 3)


def test_each_source_has_its_own_rate(desk):
    found = measure_tools(desk.tool_mocker, [HELD_OUT])
    assert found.by_source["unknown"] == (0.0, *found.by_source["unknown"][1:])
    assert sum(right.n for right in found.by_source.values()) == found.calls


def test_nothing_measured_is_not_zero(desk):
    found = measure_tools(desk.tool_mocker, [])
    assert found.calls == 0
    assert all(math.isnan(x) for x in (found.exact.value, found.field_f1, found.confidence_error, *found.exact[:3]))


def test_an_anchored_measurement_of_the_record_itself_is_perfect(desk):
    found = measure_tools(desk.tool_mocker, desk.corpus, anchor=lambda trace: trace.conversation_id)
    assert (found.exact.value, found.exact.high, found.confidence_error) == (1.0, 1.0, 0.0)


def test_the_session_lives_on_its_own_answers(desk):
    """The held-out results never reach it: a write that it cannot make leaves later reads as they were."""
    lab = conversation(("get_lab_report", 1, {"report": "fine"}), ("get_visit", 1, visit(1)))
    (asked,) = ask_all(desk.tool_mocker, [lab], lambda _: desk.tool_mocker.session())
    assert [row.answer.source for row in asked] == ["unknown", "recorded"]


def test_a_cassette_repeats_the_first_answer_and_knows_no_state(desk):
    cassette = Cassette.fit(desk.corpus.train)
    found = summary(ask_all(desk.tool_mocker, [HELD_OUT], lambda _: cassette))
    assert (found.exact.value, found.after_write.value) == (2 / 5, 0.0)
    assert cassette.call("get_visit", {"visit_id": "V-1"}).source == "unknown"


def test_the_neighbour_adapts_the_most_similar_answer(desk):
    neighbour = Neighbour.fit(desk.corpus.train)
    assert neighbour.call("get_visit", {"visit_id": clinic.key(2)}).source == "recorded"
    answer = neighbour.call("get_visit", {"visit_id": "V-1"})
    assert (answer.source, answer.result) == ("neighbour", {**visit(0), "visit_id": "V-1"})
    assert neighbour.call("nonesuch", {}).source == "unknown"


@pytest.mark.parametrize(
    ("answer", "truth", "exact", "f1", "right_type", "agrees"),
    [
        ({"a": 1.0, "b": [1]}, {"b": [1], "a": 1}, True, 1.0, True, True),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, False, 0.5, True, True),
        ({"a": 1}, {"a": 1, "b": 2}, False, 2 / 3, False, True),
        ('{"a": 1}', {"a": 1}, True, 1.0, True, True),
        ([1, 2], [2, 1], False, 1.0, True, True),
        (3, 4.5, False, 0.0, True, True),
        ("yes", {"a": 1}, False, 0.0, False, True),
        (None, None, True, 1.0, True, True),
    ],
)
def test_an_answer_compares_whole_by_fields_and_by_type(answer, truth, exact, f1, right_type, agrees):
    found = compared(ToolAnswer(answer), recorded(truth))
    assert (found.exact, found.right_type, found.error_agrees) == (exact, right_type, agrees)
    assert found.field_f1 == pytest.approx(f1)


def test_an_error_for_an_answer_disagrees():
    found = compared(ToolAnswer({"error": "no"}, is_error=True), recorded({"a": 1}))
    assert (found.error_agrees, found.right_type, found.exact) == (False, False, False)


def test_fields_are_compared_at_their_place():
    assert field_f1({"a": 1, "b": 2}, {"a": 2, "b": 1}) == 0.0
    assert field_f1({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}) == 0.5
    assert field_f1({}, {"a": 1}) == 0.0


def test_recorded_calls_without_an_answer_are_not_measured(desk):
    unanswered = Trace.of({"conversation_id": "x", "messages": [clinic.user("Hi"), calls(call("get_visit", 1))]})
    assert recorded_calls(unanswered) == []
    assert measure_tools(desk.tool_mocker, [unanswered]).calls == 0
