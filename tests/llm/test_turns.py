"""What real logs hold, in the form that services accept."""

from agent_gym.llm import ChatRequest
from agent_gym.llm.signatures import Signatures
from agent_gym.llm.turns import ToolNames, turns_of
from agent_gym.types import Message, ToolCall

READ = ToolCall("read", {"id": 1})
WRITE = ToolCall("write", {"id": 1})


def test_parallel_calls_get_their_own_results_whatever_their_order() -> None:
    results = [Message("tool", name="write", result="W"), Message("tool", name="read", result="R")]
    [turn] = turns_of([Message("assistant", tool_calls=(READ, WRITE)), *results])
    assert [(call.name, result.result) for call, result in turn.calls] == [("read", "R"), ("write", "W")]


def test_a_call_without_a_result_is_answered_with_an_error() -> None:
    turn, _ = turns_of([Message("assistant", tool_calls=(READ,)), Message("user", "Hello?")])
    [(_, result)] = turn.calls
    assert result.is_error


def test_a_result_without_a_call_is_told_in_words() -> None:
    [turn] = turns_of([Message("tool", name="read", result={"a": "é"})])
    assert (turn.role, turn.text) == ("user", '(Result of read: {"a": "é"})')


def test_system_and_empty_messages_are_no_turns() -> None:
    assert turns_of([Message("system", "x"), Message("user", " "), Message("assistant")]) == []


def test_system_messages_join_the_instruction() -> None:
    request = ChatRequest([Message("system", "Second."), Message("user", "Hi")], system="First.")
    assert request.instruction == "First.\n\nSecond."


def test_names_that_a_service_cannot_take_stay_distinct_and_come_back() -> None:
    odd = ["a.b", "a b", "a_b", "9lives", "ä" * 80, ""]
    names = ToolNames.of(ChatRequest([], tools=[{"name": name} for name in odd]))
    assert len(set(names.wire.values())) == len(odd)
    assert [names.original(names.wire[name]) for name in odd] == odd
    assert all(len(spelling) <= 64 for spelling in names.wire.values())
    assert names.original("made_up") == "made_up"


def test_a_plain_name_is_never_respelt() -> None:
    names = ToolNames.of(ChatRequest([], tools=[{"name": "a.b"}, {"name": "a_b"}]))
    assert names.wire["a_b"] == "a_b"


def test_old_signatures_make_room() -> None:
    signatures = Signatures(room=2)
    for call_id in ("a", "b", "c"):
        signatures.keep(call_id, b"x")
    assert [signatures.of(call_id) for call_id in ("a", "b", "c")] == [None, b"x", b"x"]
