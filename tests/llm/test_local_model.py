"""The local model's side of the conversation; the model itself is tried by the integration tests."""

import importlib.util
from threading import Lock

import pytest

from agent_gym.errors import LlmBadReply, LlmUnavailable
from agent_gym.llm import ChatRequest, LocalModel, is_model_spec, open_model
from agent_gym.types import Json, Message, ToolCall

TOOL = {"name": "get", "parameters": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}
CALLED = Message("assistant", tool_calls=(ToolCall("get", {"id": "7"}, "a"),))
ANSWERED = Message("tool", name="get", tool_call_id="a", result={"ok": True})


class Server:
    """Keeps what it is asked, and says what it was told to."""

    def __init__(self, said: Json) -> None:
        self.said = said
        self.asked: list[dict[str, Json]] = []

    def handle_chat_completions(self, body: dict[str, Json]) -> Json:
        self.asked.append(body)
        if not isinstance(self.said, str):
            return self.said
        return {"choices": [{"message": {"content": self.said}}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}


def asked(said: Json, *messages: Message, tools: Json = (TOOL,)) -> tuple[Json, Server]:
    model, server = LocalModel("weights.gguf"), Server(said)
    model.__dict__["_server"] = (server, Lock())
    return model.complete(ChatRequest(messages or (Message("user", "Hi"),), tools=tools)), server


def test_with_tools_a_turn_is_words_or_one_of_the_calls():
    reply, server = asked('{"tool": "get", "arguments": {"id": "7"}}')
    assert reply.message.tool_calls[0].name == "get" and reply.message.tool_calls[0].arguments == {"id": "7"}
    say, call = server.asked[0]["response_format"]["json_schema"]["schema"]["anyOf"]
    assert list(say["properties"]) == ["say"] and call["properties"]["arguments"] == TOOL["parameters"]
    assert asked('{"say": "Hello."}')[0].message.text == "Hello."


def test_without_tools_its_words_are_its_turn():
    reply, server = asked("Hello.", tools=())
    assert reply.message.text == "Hello." and "response_format" not in server.asked[0]


def test_its_past_is_shown_in_the_form_it_is_to_answer_in():
    _, server = asked('{"say": "ok"}', Message("user", "Hi"), CALLED, ANSWERED)
    told = [message["content"] for message in server.asked[0]["messages"]]
    assert '{"tool": "get", "arguments": {"id": "7"}}' in told and '(Result of get: {"ok": true})' in told


def test_words_cut_off_by_the_limit_are_still_said():
    assert asked('{"say": "I was about to')[0].message.text == "I was about to"


def test_a_refusal_of_the_server_is_a_failure_of_its_own_class():
    with pytest.raises(LlmBadReply, match="too long"):
        asked({"error": "too long"})


def test_a_missing_program_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert is_model_spec("local") and is_model_spec("local:a.gguf") and not is_model_spec("locale")
    with pytest.raises(LlmUnavailable, match=r"agent-gym\[local\]"):
        open_model("local")
