"""Calls and results are paired by id within the turn, else by name and order; control tokens are never spoken."""

import pytest

from agent_gym.trace_parser import parse, read_traces
from agent_gym.types import Json, Message, Trace, paired_calls

USER = {"role": "user", "content": "cancel it"}


def asks(*calls: tuple[str, str, int] | tuple[str, str]) -> dict[str, Json]:
    """An assistant message with calls given as (id, name[, x])."""
    listed = [{"id": c[0], "name": c[1], "arguments": {"x": c[2]} if len(c) > 2 else {}} for c in calls]
    return {"role": "assistant", "tool_calls": listed}


def answers(result: Json, name: str | None = None, call_id: str | None = None) -> dict[str, Json]:
    return {"role": "tool", "result": result, "name": name, "tool_call_id": call_id}


def read(*messages: Json, **fields: Json) -> Trace:
    (trace,) = read_traces([{"conversation_id": "c", "messages": list(messages), **fields}])
    return trace


def told(trace: Trace) -> list[tuple[str, Json, Json]]:
    """(tool, argument x, result) of every call; a call without a result has None."""
    return [(c.name, c.arguments.get("x"), r and r.result) for c, r in paired_calls(trace.messages)]


PAIRINGS: dict[str, tuple[list[Json], list[tuple[str, Json, Json]]]] = {
    "parallel calls answered out of order": (
        [asks(("1", "a", 1), ("2", "a", 2)), answers("two", "a", "2"), answers("one", "a", "1")],
        [("a", 1, "one"), ("a", 2, "two")],
    ),
    "no ids, told apart by name": (
        [asks(("", "a", 1), ("", "b", 2)), answers("two", "b"), answers("one", "a")],
        [("a", 1, "one"), ("b", 2, "two")],
    ),
    "neither ids nor names": (
        [asks(("", "a", 1), ("", "a", 2)), answers("one"), answers("two")],
        [("a", 1, "one"), ("a", 2, "two")],
    ),
    "ids used again in the next turn": (
        [asks(("1", "a", 1)), answers("one", "a", "1"), asks(("1", "a", 2)), answers("two", "a", "1")],
        [("a", 1, "one"), ("a", 2, "two")],
    ),
    "the same id twice in one message": (
        [asks(("1", "a", 1), ("1", "b", 2)), answers("two", "b", "1"), answers("one", "a", "1")],
        [("a", 1, "one"), ("b", 2, "two")],
    ),
    "calling messages in a row": (
        [asks(("1", "a", 1)), asks(("2", "a", 2)), answers("one", "a", "1"), answers("two", "a", "2")],
        [("a", 1, "one"), ("a", 2, "two")],
    ),
    "calling messages in a row without ids": (
        [asks(("", "a", 1)), asks(("", "a", 2)), answers("one"), answers("two")],
        [("a", 1, "one"), ("a", 2, "two")],
    ),
    "a call that was given up": (
        [asks(("", "a", 1)), asks(("", "a", 2)), answers("two", "a")],
        [("a", 1, None), ("a", 2, "two")],
    ),
    "a call without any result": (
        [asks(("1", "a", 1), ("2", "b", 2)), answers("two", "b", "2")],
        [("a", 1, None), ("b", 2, "two")],
    ),
    "a result that comes after the customer spoke": (
        [asks(("1", "a", 1)), USER, answers("one", "a", "1")],
        [("a", 1, "one")],
    ),
    "a late result after the next call": (
        [asks(("1", "a", 1), ("2", "b", 2)), answers("one", "a", "1"), asks(("3", "c", 3)),
         answers("two", "b", "2"), answers("three", "c", "3")],
        [("a", 1, "one"), ("b", 2, "two"), ("c", 3, "three")],
    ),
    "ids that agree nowhere": (
        [asks(("1", "a", 1)), answers("one", "a", "z")],
        [("a", 1, "one")],
    ),
    "a result under a longer name": (
        [asks(("1", "a", 1)), answers("one", "functions.a", "1")],
        [("a", 1, "one")],
    ),
    "an id wins over the order": (
        [asks(("1", "a", 1), ("2", "a", 2)), answers("two"), answers("one", None, "1")],
        [("a", 1, "one"), ("a", 2, "two")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRINGS)
def test_a_result_finds_its_call(case):
    messages, expected = PAIRINGS[case]
    assert told(read(USER, *messages)) == expected


@pytest.mark.parametrize("case", PAIRINGS)
def test_after_reading_ids_alone_tell_the_pairs(case):
    messages, expected = PAIRINGS[case]
    trace = read(USER, *messages)
    calls = {c.id: c for m in trace.messages for c in m.tool_calls}
    assert len(calls) == len(expected)
    for at, message in enumerate(trace.messages):
        if message.role == "tool":
            assert message.name == calls[message.tool_call_id or ""].name
            assert trace.messages[at - 1].role in ("assistant", "tool")


@pytest.mark.parametrize("case", PAIRINGS)
def test_a_settled_trace_is_read_again_without_repairs(case):
    trace = read(USER, *PAIRINGS[case][0])
    again = parse([trace.to_dict()])
    assert (again.traces, again.repairs) == ((trace,), {})


def test_what_a_result_said_of_itself_is_kept():
    trace = read(USER, asks(("1", "a")), answers(0, "functions.a", "z"))
    assert told(trace) == [("a", None, None)]
    trace = read(USER, asks(("1", "a")), answers(0, "functions.a", "1"))
    assert trace.metadata["message_extras"] == [{"at": 2, "name": "functions.a"}]


def test_a_named_result_without_a_call_stays_in_place_and_makes_nothing_up():
    trace = read(USER, answers({"status": "active"}, "look", "9"), {"role": "assistant", "content": "ok"})
    assert trace.messages[1] == Message("tool", name="look", result={"status": "active"})
    assert trace.metadata["repairs"] == {"result_without_call": 1}
    assert trace.metadata["message_extras"] == [{"at": 1, "tool_call_id": "9"}]


@pytest.mark.parametrize(
    "messages",
    [[answers(5)], [asks(("1", "a")), answers(5, "b")], [asks(("1", "a")), answers(1, "a", "1"), answers(5)]],
    ids=["no name", "the open call is another tool's", "one result too many"],
)
def test_a_result_that_cannot_be_told_to_a_call_is_set_aside(messages):
    trace = read(USER, *messages)
    (aside,) = trace.metadata["other_messages"]
    assert (aside["at"], aside["result"]) == (len(messages), 5)
    assert 5 not in [m.result for m in trace.messages]


def test_a_result_that_states_its_arguments_implies_its_call():
    looked = {"role": "tool", "name": "look", "arguments": {"x": 1}, "result": "one"}
    listed = {"role": "tool", "name": "list", "arguments": '{"x": 2}', "result": "two"}
    trace = read(USER, {"role": "assistant", "content": "one moment"}, looked, listed)
    assert told(trace) == [("look", 1, "one"), ("list", 2, "two")]
    assert [m.role for m in trace.messages] == ["user", "assistant", "tool", "tool"]
    assert told(read(USER, looked)) == [("look", 1, "one")]


def test_the_customers_own_tool_calls_are_set_aside():
    check = {"role": "user", "content": None, "tool_calls": asks(("1", "reboot"))["tool_calls"]}
    trace = read(USER, check, answers("done", "reboot", "1"), {"role": "user", "content": "it works"})
    assert [m.content for m in trace.messages] == ["cancel it", "it works"]
    assert [aside["at"] for aside in trace.metadata["other_messages"]] == [1, 2]


def test_made_ids_do_not_meet_given_ones():
    trace = read(USER, asks(("", "a"), ("call_1", "b"), ("call_1", "c"), ("call_1#2", "d")))
    ids = [c.id for c in trace.messages[1].tool_calls]
    assert len(set(ids)) == 4
    assert (ids[1], ids[3]) == ("call_1", "call_1#2")


def test_traces_made_by_hand_are_settled_too():
    by_hand = read(USER, asks(("", "a")), answers(1))
    raw = Trace("c", (Message("user", "cancel it"), Message.of(asks(("", "a"))), Message("tool", result=1)))
    assert read_traces([raw]) == [by_hand]


@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
def test_a_control_token_is_never_spoken(token):
    trace = read(USER, {"role": "assistant", "content": "done"}, {"role": "user", "content": f"Thanks!\n{token} "})
    assert trace.messages[-1].content == "Thanks!"
    assert trace.metadata == {"ended_by": token, "repairs": {"control_token_stripped": 1}}


def test_a_message_that_was_only_a_token_is_dropped():
    trace = read(USER, {"role": "user", "content": "###STOP###"})
    assert [m.content for m in trace.messages] == ["cancel it"]
    assert trace.metadata["repairs"] == {"control_token_message_dropped": 1, "control_token_stripped": 1}


def test_a_call_beside_a_token_is_kept():
    trace = read(USER, asks(("1", "a")) | {"content": "###TRANSFER###"})
    assert (trace.messages[1].content, len(trace.messages[1].tool_calls)) == (None, 1)


def test_the_logs_own_ending_is_not_overwritten():
    trace = read(USER, {"role": "user", "content": "###STOP###"}, metadata={"ended_by": "agent"})
    assert (trace.metadata["ended_by"], trace.metadata["raw"]) == ("agent", {"control_tokens": ["###STOP###"]})


@pytest.mark.parametrize("text", ["### Plan ###", "###", "### STOP", "#STOP#"])
def test_headings_are_not_control_tokens(text):
    assert read({"role": "assistant", "content": text}).messages[0].content == text


def test_a_system_prompt_may_speak_of_tokens():
    prompt = {"role": "system", "content": "the customer ends with ###STOP###"}
    assert read(prompt, USER).metadata == {}


def test_positions_are_those_of_the_source():
    planner = {"role": "planner", "content": "…"}
    trace = read(planner, USER, {"role": "user", "content": "###STOP###"}, asks(("1", "a")), answers(5, "b"))
    assert [aside["at"] for aside in trace.metadata["other_messages"]] == [0, 4]
