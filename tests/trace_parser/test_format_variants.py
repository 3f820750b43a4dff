"""What the fixtures of further formats and of unusual records say, beyond who speaks: nothing is lost on the way."""

import json
from pathlib import Path

import pytest

from agent_gym.trace_parser import Reading, Reject, read_source
from agent_gym.trace_parser.dialects import Notes, messages_of
from agent_gym.types import Json, Trace

FIXTURES = Path(__file__).parents[1] / "fixtures" / "formats"


def only(path: Path) -> Trace:
    (trace,) = read_source(path)
    assert isinstance(trace, Trace)
    return trace


def written(tmp_path: Path, *records: Json) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records))
    return path


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("anthropic_messages_blocks.json", [True, False, False]),
        ("bedrock_converse_parallel.json", [False, True]),
        ("message_records.json", [False, True]),
        ("message_rows_vercel.jsonl", [False, True]),
        ("inspect_ai_two.json", [True]),
    ],
)
def test_a_result_says_whether_it_is_an_error(name: str, flags: list[bool]):
    first = next(iter(read_source(FIXTURES / name)))
    assert isinstance(first, Trace)
    assert sorted(m.is_error for m in first.messages if m.role == "tool") == sorted(flags)


def test_parallel_calls_of_one_name_get_their_own_results():
    results = [m.result for m in only(FIXTURES / "gemini_snake_case.json").messages if m.role == "tool"]
    assert results == [{"r": 1}, {"r": 2}]


def test_results_in_another_order_go_to_their_calls():
    trace = only(FIXTURES / "openai_chat_parts.json")
    results = {m.name: m.result for m in trace.messages if m.role == "tool"}
    assert results == {"get_user": "U", "get_order": '{"status": "ok"}'}
    assert trace.messages[1].content == "Hi\n[image_url]"


def test_calls_written_as_text_are_calls():
    assert only(FIXTURES / "verifiers_text_calls.jsonl").messages[1].tool_calls[0].id == "c1"


def test_traces_of_one_batch_that_share_nothing_are_conversations_of_their_own():
    traces = [
        item.conversation_id for item in read_source(FIXTURES / "otlp_two_traces.json") if isinstance(item, Trace)
    ]
    assert traces == ["conv1", "t2"]


def test_an_export_of_a_tree_keeps_the_branch_last_shown(tmp_path: Path):
    def node(name: str, parent: str | None, role: str, *children: str) -> Json:
        message = {"author": {"role": role}, "content": {"content_type": "text", "parts": [f"said {name}"]}}
        return {"id": name, "parent": parent, "children": list(children), "message": message}

    nodes = {"a": node("a", None, "user", "b", "c"), "b": node("b", "a", "assistant"), "c": node("c", "a", "assistant")}
    trace = only(written(tmp_path, {"conversation_id": "x", "mapping": nodes, "current_node": "b"}))
    assert [message.content for message in trace.messages] == ["said a", "said b"]


def test_calls_logged_by_a_proxy_are_put_together_by_their_session_only(tmp_path: Path):
    def logged(said: str, **beside: str) -> Json:
        request = {"messages": [{"role": "user", "content": said}]}
        return {"request": request, "response": {"role": "assistant", "content": "yes"}, **beside}

    records = [logged("one", session_id="s"), logged("two", session_id="s"), logged("one"), logged("three")]
    found = [item for item in read_source(written(tmp_path, *records)) if isinstance(item, Trace)]
    assert [len(trace.messages) for trace in found] == [4, 2, 2]


def test_turns_are_told_with_what_their_record_says(tmp_path: Path):
    turns = [{"speaker": "customer", "text": "Hi", "id": 1}, {"speaker": "agent", "text": "Hello", "id": 2}]
    trace = only(written(tmp_path, {"dialogue_id": "d7", "outcome": "solved", "text": "a summary", "turns": turns}))
    assert (trace.conversation_id, trace.outcome) == ("d7", "solved")
    assert [message.content for message in trace.messages] == ["Hi", "Hello"]


def test_a_binary_log_is_refused_once_and_in_words(tmp_path: Path):
    (tmp_path / "spans.pb").write_bytes(
        b"\n\xfa\x1b\n\xd7\x01\n \n\x16telemetry\x12\x08\n\x06python\n%\n\x12name\x12\x0f\n\r"
    )
    (reject,) = read_source(tmp_path / "spans.pb")
    assert isinstance(reject, Reject) and "binary" in reject.reason and "JSON" in reject.fix


PARTS: list[Json] = [
    {"type": "text", "content": "so"},
    {"type": "tool_call", "id": " c1", "name": "look", "arguments": {"bike": 7}},
    {"type": "tool_call_response", "id": "c1", "response": {"content": [{"type": "text", "text": "free"}]}},
]


@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
@pytest.mark.parametrize("kinds", ["t", "c", "r", "tc", "rt", "trc", "tt", ""])
def test_plain_parts_are_read_as_parts_with_something_more_are(role: str, kinds: str):
    parts = [PARTS["tcr".index(kind)] for kind in kinds]
    quick = messages_of([{"role": role, "parts": parts}], Notes())
    slow = messages_of([{"role": role, "parts": [*parts, {"type": "cache_point"}]}], Notes())
    assert quick == slow


def test_an_answer_that_the_next_call_repeats_is_told_once(tmp_path: Path):
    asked = [{"role": "user", "parts": [{"type": "text", "content": "free?"}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": "yes"}]}]
    more = [{"role": "user", "parts": [{"type": "text", "content": "and 8?"}]}]

    def span(number: int, given: Json, answer: Json) -> Json:
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(given)}
        attributes["gen_ai.output.messages"] = json.dumps(answer)
        return {"name": "chat", "trace_id": "t", "span_id": f"{number}", "start_time": number, "attributes": attributes}

    reading = Reading()
    (trace,) = read_source(
        written(tmp_path, span(1, asked, said), span(2, [*asked, *said, *more], said)), reading=reading
    )
    assert isinstance(trace, Trace) and reading.accepted == 2
    assert [message.content for message in trace.messages] == ["free?", "yes", "and 8?", "yes"]


def test_a_failed_tool_span_says_why(tmp_path: Path):
    call = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}]}
    asked = [{"role": "user", "parts": [{"type": "text", "content": "free?"}]}]
    model = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(asked)}
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "c1"}
    span = {"trace_id": "t", "parent_id": None, "start_time": 1}
    log = written(
        tmp_path,
        {**span, "name": "chat", "span_id": "a", "attributes": {**model, "gen_ai.output.messages": json.dumps([call])}},
        {
            **span,
            "name": "look",
            "span_id": "b",
            "attributes": tool,
            "status": {"status_code": "ERROR", "description": "no"},
        },
    )
    assert (only(log).messages[-1].result, only(log).messages[-1].is_error) == ("no", True)
