"""The nouns: how calls find their results, what a score carries, what a message must be."""

import copy
import pickle

import orjson
import pytest

from agent_gym.errors import MessageError
from agent_gym.types import LEAST_CONFIDENCE, Message, PartScore, Score, ToolAnswer, ToolCall, Trace, paired_calls

PARTS = (PartScore("facts", 0.5, 1.0, "one of two"), PartScore("effort", None, 0.0, "nothing to count"))
SCORE = Score(0.75, success=True, parts=PARTS, explanation="because", flags=["short"])


def asks(*calls: tuple[str, str]) -> Message:
    return Message("assistant", tool_calls=tuple(ToolCall(name, {}, call_id) for name, call_id in calls))


def tells(name: str | None, call_id: str | None, result: str) -> Message:
    return Message("tool", name=name, tool_call_id=call_id, result=result)


def results(*messages: Message) -> list[str | None]:
    return [answer.result if answer else None for _, answer in paired_calls(messages)]


def test_parallel_results_out_of_order_find_their_calls_by_id():
    assert results(asks(("f", "a"), ("f", "b")), tells("f", "b", "second"), tells("f", "a", "first")) == [
        "first",
        "second",
    ]


def test_an_id_used_again_in_another_turn_is_another_call():
    turns = [asks(("f", "a")), tells("f", "a", "one"), asks(("f", "a")), tells("f", "a", "two")]
    assert results(*turns) == ["one", "two"]


def test_results_without_ids_are_paired_by_name():
    assert results(asks(("f", ""), ("g", "")), tells("g", None, "g's"), tells("f", None, "f's")) == ["f's", "g's"]


def test_results_without_ids_and_names_are_paired_by_order():
    assert results(asks(("f", ""), ("g", "")), tells(None, None, "one"), tells(None, None, "two")) == ["one", "two"]


def test_a_missing_result_leaves_only_its_own_call_open():
    turns = [asks(("f", "a"), ("g", "b")), tells("g", "b", "g's"), asks(("f", "a")), tells("f", "a", "late")]
    assert results(*turns) == [None, "g's", "late"]


def test_a_result_before_any_call_belongs_to_none():
    assert results(tells("f", "a", "stray"), asks(("f", "a"))) == [None]
    assert results(asks(("f", "a")), tells("f", "a", "one"), tells("f", "a", "again")) == ["one"]


def test_a_score_is_a_float_with_reasons():
    assert SCORE == 0.75
    assert SCORE + 0.25 == 1.0
    assert (SCORE.success, SCORE.parts["facts"].why, SCORE.flags) == (True, "one of two", ("short",))
    assert repr(SCORE) == "Score(0.750, success=True)"


@pytest.mark.parametrize(("given", "kept"), [(-1, 0.0), (0.5, 0.5), (7, 1.0), (float("inf"), 1.0)])
def test_a_score_stays_between_0_and_1(given, kept):
    assert Score(given) == kept


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda score: pickle.loads(pickle.dumps(score))])
def test_a_score_survives_being_copied(copied):
    twin = copied(SCORE)
    assert (type(twin), twin.to_dict()) == (Score, SCORE.to_dict())


def test_a_part_that_does_not_apply_is_not_zero():
    parts = SCORE.to_dict()["parts"]
    assert (parts["effort"]["raw"], parts["effort"]["applicable"], parts["facts"]["applicable"]) == (None, False, True)
    assert orjson.loads(orjson.dumps(SCORE.to_dict())) == SCORE.to_dict()


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"role": "robot", "content": "hi"}, "role 'robot'"),
        ({"content": "hi"}, "role None"),
        ({"role": "user", "content": 5}, "content must be text, found int"),
        ({"role": "assistant", "tool_calls": "f()"}, "tool_calls must be a list, found str"),
        ({"role": "assistant", "tool_calls": {"name": "f"}}, "tool_calls must be a list, found dict"),
        ({"role": "assistant", "tool_calls": [5]}, "found int"),
        ({"role": "assistant", "tool_calls": [{"arguments": {}}]}, "needs a name, found None"),
        ({"role": "assistant", "tool_calls": [{"name": ""}]}, "needs a name"),
    ],
)
def test_a_message_that_is_none_says_why(value, complaint):
    with pytest.raises(MessageError, match=complaint):
        Message.of(value)


def test_a_message_is_taken_as_it_is():
    message = Message("user", "hi", final=True)
    assert Message.of(message) is message
    assert Message.of({"content": "hi"}, role="user").role == "user"


def test_a_trace_written_and_read_is_the_same():
    messages = (
        Message("system", "be kind"),
        Message("user", "hi"),
        Message("assistant", "one moment", (ToolCall("f", {"a": [1, {"b": None}]}, "x"),)),
        Message("tool", name="f", tool_call_id="x", result={"c": 1.5}, is_error=True),
        Message("assistant", ""),
    )
    trace = Trace("t", messages, "resolved", 4.5, ({"type": "function"},), {"task_id": 3})
    assert Trace.of(trace.to_dict()) == trace
    assert Trace.of(orjson.loads(orjson.dumps(trace.to_dict()))) == trace
    assert Trace.of(trace) is trace


def test_what_the_record_cannot_answer_or_only_by_a_poor_guess_is_off_support():
    assert ToolAnswer({}, True, "unknown").off_support
    assert ToolAnswer({}, False, "neighbour", LEAST_CONFIDENCE / 2).off_support
    assert not ToolAnswer({}, False, "neighbour", LEAST_CONFIDENCE).off_support
    assert not any(ToolAnswer({}, True, source).off_support for source in ("invalid", "not_found", "rule", "recorded"))
