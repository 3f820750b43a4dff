"""Our messages in the form that chat templates and datasets take."""

import json

from agent_gym.adapters.chat import chat_message, chat_tools
from agent_gym.types import Message, ToolCall


def test_arguments_stay_objects_and_results_become_text():
    called = chat_message(Message("assistant", tool_calls=(ToolCall("get", {"id": 1}, "a"),)))
    assert called["tool_calls"] == [
        {"type": "function", "id": "a", "function": {"name": "get", "arguments": {"id": 1}}}
    ]
    told = chat_message(Message("tool", name="get", tool_call_id="a", result={"ok": True}))
    assert told == {"role": "tool", "name": "get", "tool_call_id": "a", "content": '{"ok": true}'}


def test_arguments_that_are_no_object_are_kept_and_do_not_stop_an_export():
    called = chat_message(Message("assistant", tool_calls=(ToolCall("get", "7"),)))  # type: ignore[arg-type]  # as agents do
    assert called["tool_calls"][0]["function"]["arguments"] == {"malformed_arguments": 7}


def test_a_failed_call_says_so_once():
    bare = chat_message(Message("tool", name="get", result="not found", is_error=True))
    told = chat_message(Message("tool", name="get", result={"error": "not found"}, is_error=True))
    assert json.loads(bare["content"]) == json.loads(told["content"]) == {"error": "not found"}


def test_a_result_kept_as_text_is_not_quoted_again():
    assert chat_message(Message("tool", name="get", content="plain"))["content"] == "plain"


def test_a_bare_function_schema_is_wrapped_and_a_wrapped_one_left():
    bare = {"name": "get", "parameters": {}}
    assert chat_tools([bare]) == chat_tools(chat_tools([bare])) == [{"type": "function", "function": bare}]
