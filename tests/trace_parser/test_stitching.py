"""Spans become whole conversations: repeated history, deltas, shortened and branched logs, nested agents."""

from agent_gym.trace_parser.dialects import Notes
from agent_gym.trace_parser.stitch import Span, read_calls, stitched
from agent_gym.types import Json, Message, ToolCall

ASK = {"role": "user", "content": "is bike 7 free?"}
LOOK: dict[str, Json] = {"role": "assistant", "tool_calls": [{"id": "c1", "name": "look", "arguments": {"bike": 7}}]}
FREE = {"role": "tool", "tool_call_id": "c1", "content": "free"}
SAY = {"role": "assistant", "content": "it is free"}
MORE = {"role": "user", "content": "and bike 8?"}
NO = {"role": "assistant", "content": "no"}


def call(number: int, asked: Json, answered: Json, **fields: Json) -> Span:
    return Span(f"s{number}", "llm", start=f"{number:03}", asked=asked, answered=answered, trace="t", **fields)


def roles(*spans: Span, at: int = 0) -> str:
    threads = stitched(read_calls(spans, Notes()), Notes())
    return " ".join(message.role for message in threads[at].all_messages())


def test_history_that_every_call_repeats_is_told_once():
    spans = [call(1, [ASK], LOOK), call(2, [ASK, LOOK, FREE], SAY), call(3, [ASK, LOOK, FREE, SAY, MORE], NO)]
    assert roles(*spans) == "user assistant tool assistant user assistant"


def test_a_log_of_what_is_new_is_put_together():
    assert roles(call(1, [ASK], LOOK), call(2, [FREE], SAY)) == "user assistant tool assistant"


def test_the_next_turn_of_a_session_may_be_logged_without_history():
    later = Span("s9", "llm", start="9", asked=[MORE], answered=NO, trace="another")
    assert roles(call(1, [ASK], SAY), later) == "user assistant user assistant"


def test_a_shortened_history_does_not_shorten_the_conversation():
    spans = [call(1, [ASK], SAY), call(2, [ASK, SAY, MORE], NO), call(3, [MORE, NO, ASK], SAY)]
    threads = stitched(read_calls(spans, Notes()), Notes())
    assert len(threads[0].messages) == 6
    assert threads[0].compactions == 1


def test_of_two_branches_the_last_is_kept_and_the_other_stored():
    threads = stitched(read_calls([call(1, [ASK], SAY), call(2, [ASK], NO)], Notes()), Notes())
    assert [message.content for message in threads[0].messages] == [ASK["content"], "no"]
    assert threads[0].alternatives == [[{"role": "assistant", "content": "it is free"}]]


def test_a_system_prompt_with_another_date_is_the_same_conversation():
    spans = [call(n, [{"role": "system", "content": f"today is day {n}"}, *talk], end) for n, talk, end in TURNS]
    assert roles(*spans) == "system user assistant user assistant"


TURNS = [(1, [ASK], SAY), (2, [ASK, SAY, MORE], NO)]


def test_a_call_that_two_instrumentations_logged_was_made_once():
    inner = call(2, "user: is bike 7 free?", None, parent="s1")
    assert roles(call(1, [ASK], LOOK), inner, call(3, [ASK, LOOK, FREE], SAY)) == "user assistant tool assistant"


def test_a_result_that_only_a_tool_span_holds_is_filled_in():
    tool = Span("s2", "tool", "look", start="002", arguments={"bike": 7}, result="late", is_error=True)
    threads = stitched(read_calls([call(1, [ASK], LOOK), tool, call(3, None, SAY)], Notes()), Notes())
    assert threads[0].messages[2] == Message("tool", None, (), "look", "c1", "late", is_error=True)


def test_results_are_told_apart_by_their_arguments():
    calls = [{"id": f"c{n}", "name": "look", "arguments": {"bike": n}} for n in (7, 8)]
    tools = [Span(f"t{n}", "tool", "look", start=f"00{9 - n}", arguments={"bike": n}, result=n) for n in (7, 8)]
    spans = [call(1, [ASK], {"role": "assistant", "tool_calls": calls}), *tools]
    threads = stitched(read_calls(spans, Notes()), Notes())
    assert [(m.tool_call_id, m.result) for m in threads[0].messages if m.role == "tool"] == [("c7", 7), ("c8", 8)]


def test_a_nested_agent_is_a_conversation_of_its_own_linked_to_the_call():
    tool = Span("t1", "tool", "look", start="002", call_id="c1", result="free")
    inner = call(3, [{"role": "user", "content": "find it"}], {"role": "assistant", "content": "found"}, parent="t1")
    threads = stitched(
        read_calls([call(1, [ASK], LOOK), tool, inner, call(4, [ASK, LOOK, FREE], SAY)], Notes()), Notes()
    )
    assert [len(thread.messages) for thread in threads] == [4, 2]
    assert (threads[1].parent, threads[1].parent_call) == ("t1", "c1")


def test_a_definition_that_poses_as_a_message_is_a_tool():
    notes = Notes()
    posing = {"role": "tool", "content": {"type": "function", "function": {"name": "look", "parameters": {}}}}
    threads = stitched(read_calls([call(1, [ASK, posing], SAY)], notes), notes)
    assert [m.role for m in threads[0].messages] == ["user", "assistant"]
    assert notes.tools == [{"type": "function", "function": {"name": "look", "parameters": {}}}]


def test_a_role_that_is_a_tools_name_is_that_tools_result():
    spans = [call(1, [ASK, LOOK, {"role": "look", "content": "free"}], SAY)]
    threads = stitched(read_calls(spans, Notes()), Notes())
    assert threads[0].messages[2].name == "look"
    assert threads[0].messages[1].tool_calls == (ToolCall("look", {"bike": 7}, "c1"),)
