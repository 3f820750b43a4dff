"""Loose records come out in the strict schema; every repair has a name and nothing is lost."""

from typing import get_args

import pytest

from agent_gym.trace_parser import REPAIRS, parse, read_traces
from agent_gym.trace_parser.repairs import RepairName
from agent_gym.types import Json, Trace

USER = {"role": "user", "content": "cancel it"}


def record(*messages: Json, **fields: Json) -> dict[str, Json]:
    return {"conversation_id": "c", "messages": list(messages) or [USER], **fields}


def read(*messages: Json, **fields: Json) -> Trace:
    (trace,) = read_traces([record(*messages, **fields)])
    return trace


def call(**fields: Json) -> dict[str, Json]:
    return {"role": "assistant", "tool_calls": [fields]}


def test_a_clean_record_is_left_as_it_is():
    answer = {"role": "tool", "name": "look", "tool_call_id": "1", "result": {"a": [1]}, "is_error": True}
    clean = record(
        {"role": "system", "content": "be kind"}, USER, call(id="1", name="look", arguments={"x": 1}), answer,
        outcome="resolved", satisfaction_score=4.5, tools=[{"name": "look"}], metadata={"k": "v"},
    )  # fmt: skip
    assert read_traces([clean])[0].to_dict() == clean


def test_every_repair_has_its_meaning_in_words():
    assert tuple(REPAIRS) == get_args(RepairName)
    assert all(len(meaning) > 20 for meaning in REPAIRS.values())


def test_repairs_are_counted_in_the_trace_and_over_the_reading():
    reading = parse([record(USER, {"role": "Assistant", "content": "ok"}) | {"conversation_id": n} for n in (1, 2)])
    assert reading.repairs == {"conversation_id_as_text": 2, "role_lowercased": 2}
    assert reading.traces[0].metadata["repairs"] == {"conversation_id_as_text": 1, "role_lowercased": 1}


@pytest.mark.parametrize(
    ("given", "repair"),
    [(7, "conversation_id_as_text"), (None, "conversation_id_made"), ("", "conversation_id_made")],
)
def test_a_conversation_always_has_an_id_of_text(given, repair):
    trace = read_traces([record() | {"conversation_id": given}])[0]
    assert trace.conversation_id == "7" if given == 7 else trace.conversation_id.startswith("conversation-")
    assert trace.metadata["repairs"] == {repair: 1}


def test_a_made_id_depends_on_the_content_alone():
    spoken = [{"messages": [USER]}, {"messages": [{"role": "user", "content": "other"}]}]
    ids = [trace.conversation_id for trace in read_traces(spoken)]
    assert ids == [read_traces([one])[0].conversation_id for one in spoken]
    assert len(set(ids)) == 2


def test_equal_conversations_without_ids_are_both_kept():
    first, second = read_traces([{"messages": [USER]}, {"messages": [USER]}])
    assert second.conversation_id == f"{first.conversation_id}-2"


def test_the_records_id_is_taken_where_there_is_no_conversation_id():
    assert read_traces([{"id": 12, "messages": [USER]}])[0].conversation_id == "12"


@pytest.mark.parametrize(
    ("given", "outcome"), [("won", "won"), (True, "resolved"), (False, "unresolved"), (1, "1"), (None, None)]
)
def test_an_outcome_is_text(given, outcome):
    assert read(outcome=given).outcome == outcome


@pytest.mark.parametrize(("given", "score"), [(4, 4.0), ("4.5", 4.5), (" 3 ", 3.0), (None, None)])
def test_a_satisfaction_score_is_a_number(given, score):
    assert read(satisfaction_score=given).satisfaction_score == score


@pytest.mark.parametrize("given", ["good", True, [5], "NaN", "null", float("nan")])
def test_a_score_that_is_no_number_is_kept_raw(given):
    trace = read(satisfaction_score=given)
    assert trace.satisfaction_score is None
    assert trace.metadata["raw"] in ({"satisfaction_score": given}, {"not_finite": ["NaN"]})


@pytest.mark.parametrize("field", ["outcome", "metadata", "tools"])
def test_a_field_of_the_wrong_kind_is_kept_raw(field):
    trace = read(**{field: [["odd"]]})
    assert trace.metadata == {"raw": {field: [["odd"]]}, "repairs": {"field_kept_raw": 1}}


def test_other_fields_of_the_record_go_into_the_metadata():
    trace = read(customer_id="u1", channel="chat", metadata={"channel": "phone"})
    assert trace.metadata["customer_id"] == "u1"
    assert (trace.metadata["channel"], trace.metadata["raw"]) == ("phone", {"channel": "chat"})


def test_other_fields_of_a_message_are_kept_with_its_position():
    trace = read(USER, {"role": "assistant", "content": "ok", "timestamp": 12, "name": "Ann", "refusal": None})
    assert trace.metadata["message_extras"] == [{"at": 1, "timestamp": 12, "name": "Ann"}]


def test_a_message_of_an_unknown_role_is_kept_aside():
    planner = {"role": "planner", "content": "first look it up"}
    trace = read(USER, planner, {"role": "assistant", "content": "ok"})
    assert [m.role for m in trace.messages] == ["user", "assistant"]
    assert trace.metadata["other_messages"] == [{"at": 1, **planner}]


def test_parts_of_text_are_joined_and_other_parts_kept():
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": "x.png"}, "here"]
    trace = read({"role": "user", "content": parts})
    assert trace.messages[0].content == "look\nhere"
    assert trace.metadata["message_extras"] == [{"at": 0, "content": parts}]


@pytest.mark.parametrize(
    ("given", "arguments", "repair"),
    [
        ({"arguments": '{"x": 1}'}, {"x": 1}, "arguments_parsed"),
        ({"arguments": None}, {}, "arguments_missing"),
        ({"arguments": ""}, {}, "arguments_missing"),
        ({}, {}, "arguments_missing"),
        ({"arguments": '{"x": '}, {"_raw": '{"x": '}, "arguments_not_an_object"),
        ({"arguments": "[" * 900 + "]" * 900}, {"_raw": "[" * 900 + "]" * 900}, "arguments_not_an_object"),
        ({"arguments": [1]}, {"_raw": [1]}, "arguments_not_an_object"),
        ({"args": {"x": 1}}, {"x": 1}, "arguments_renamed"),
        ({"input": {"x": 1}}, {"x": 1}, "arguments_renamed"),
    ],
)
def test_arguments_are_an_object(given, arguments, repair):
    trace = read(USER, call(id="1", name="look", **given))
    assert trace.messages[1].tool_calls[0].arguments == arguments
    assert trace.metadata["repairs"] == {repair: 1}


def test_a_function_call_is_unfolded():
    function = {"name": "look", "arguments": '{"x": 1}'}
    trace = read(USER, call(id="1", type="function", function=function))
    assert trace.messages[1].tool_calls[0].to_dict() == {"id": "1", "name": "look", "arguments": {"x": 1}}
    assert trace.metadata["repairs"] == {"arguments_parsed": 1, "function_call_unfolded": 1}


def test_calls_written_as_text_are_parsed():
    text = '[{"id": "1", "name": "look", "arguments": {}}]'
    assert read(USER, {"role": "assistant", "tool_calls": text}).messages[1].tool_calls[0].name == "look"


def test_what_else_a_call_holds_is_kept():
    trace = read(USER, call(id="1", name="look", arguments={}, requestor="assistant"))
    assert trace.metadata["message_extras"] == [{"at": 1, "tool_calls": [{"requestor": "assistant"}]}]


@pytest.mark.parametrize("content", ['{"a": 1}', {"a": 1}, [1, 2], ["x", "y"], [{"id": 7, "text": "row"}], []])
def test_a_tools_content_is_its_result(content):
    answer = {"role": "tool", "name": "look", "tool_call_id": "1", "content": content}
    message = read(USER, call(id="1", name="look", arguments={}), answer).messages[2]
    assert (message.content, message.result) == (None, content)


def test_a_tools_result_may_come_as_parts_of_text():
    parts = [{"type": "text", "text": '{"a": 1}'}]
    answer = {"role": "tool", "name": "look", "tool_call_id": "1", "content": parts}
    assert read(USER, call(id="1", name="look", arguments={}), answer).messages[2].result == '{"a": 1}'


def test_json_inside_a_text_result_is_left_as_text():
    answer = {"role": "tool", "name": "look", "tool_call_id": "1", "result": '{"a": 1}'}
    assert read(USER, call(id="1", name="look", arguments={}), answer).messages[2].result == '{"a": 1}'


def test_reading_a_trace_again_changes_nothing():
    messages = [USER, {"role": "narrator", "content": "…"}, {"role": "TOOL", "name": "a", "result": 1}]
    once = read(*messages, {"role": "user", "content": "bye ###STOP###"}, shop="x")
    assert read_traces([once.to_dict()]) == [once] == read_traces([once])
