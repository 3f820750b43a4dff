"""What the vendors' own SDKs write is read: their objects, as they dump themselves."""

import json
from pathlib import Path

from google.genai import types as gemini
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response

from agent_gym.trace_parser import Reading, read_source
from agent_gym.types import Trace

CALL = {"id": "call_1", "type": "function", "function": {"name": "find_bikes", "arguments": '{"day": "Friday"}'}}


def read(path: Path) -> tuple[Trace, str]:
    reading = Reading()
    (trace,) = read_source(path, reading=reading)
    assert isinstance(trace, Trace)
    return trace, next(iter(reading.formats))


def test_a_chat_completion_beside_its_question_is_a_conversation(tmp_path):
    message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    answer = ChatCompletion.model_validate(
        {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
         "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    )  # fmt: skip
    log = {
        "messages": [{"role": "user", "content": "Is a bike free?"}],
        "response": json.loads(answer.model_dump_json()),
    }
    (tmp_path / "log.jsonl").write_text(json.dumps(log))
    trace, form = read(tmp_path / "log.jsonl")
    assert form == "openai_chat"
    assert [m.role for m in trace.messages] == ["user", "assistant"]
    assert trace.messages[1].tool_calls[0].arguments == {"day": "Friday"}


def test_the_chunks_of_a_stream_add_up(tmp_path):
    begun = {"index": 0, "id": "call_1", "function": {"name": "find_bikes", "arguments": '{"day"'}}
    rest = {"index": 0, "function": {"arguments": ': "Friday"}'}}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [
        ChatCompletionChunk.model_validate({**head, "choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]})
        for piece in (begun, rest)
    ]
    (tmp_path / "log.txt").write_text("".join(f"data: {chunk.model_dump_json()}\n\n" for chunk in chunks))
    trace, form = read(tmp_path / "log.txt")
    assert form == "openai_stream"
    assert trace.messages[0].tool_calls[0].arguments == {"day": "Friday"}


def test_a_response_is_read_with_its_instructions(tmp_path):
    said = {"type": "message", "id": "m", "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": "Yes.", "annotations": []}]}  # fmt: skip
    response = Response.model_validate(
        {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "instructions": "Be brief.",
         "output": [said],
         "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    )  # fmt: skip
    (tmp_path / "log.jsonl").write_text(response.model_dump_json())
    trace, form = read(tmp_path / "log.jsonl")
    assert form == "openai_responses"
    assert [(m.role, m.content) for m in trace.messages] == [("system", "Be brief."), ("assistant", "Yes.")]


def test_gemini_content_is_read_in_snake_case(tmp_path):
    parts = [gemini.Part(function_call=gemini.FunctionCall(name="find_bikes", args={"day": "Friday"}))]
    contents = [
        gemini.Content(role="user", parts=[gemini.Part(text="Is a bike free?")]),
        gemini.Content(role="model", parts=parts),
    ]
    log = {"contents": [json.loads(content.model_dump_json(exclude_none=True)) for content in contents]}
    (tmp_path / "log.json").write_text(json.dumps(log))
    trace, form = read(tmp_path / "log.json")
    assert form == "gemini"
    assert [m.role for m in trace.messages] == ["user", "assistant"]
    assert trace.messages[1].tool_calls[0].name == "find_bikes"
