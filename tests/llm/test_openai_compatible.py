"""The real OpenAI SDK against a loopback server that speaks chat completions."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from agent_gym.errors import LlmBadReply, LlmError, LlmOverloaded, LlmRefused, LlmTimeout, LlmUnavailable
from agent_gym.llm import ChatRequest, OpenAiModel, Usage
from agent_gym.types import Message, ToolCall
from tests.llm.loopback import KEY, LONG, Answer, Loopback

HELLO = ChatRequest([Message("user", "Where is order 7?")])
ORDER = {"type": "function", "function": {"name": "shop.get_order", "parameters": {"type": "object"}}}
Asking = Callable[..., tuple[OpenAiModel, Loopback]]


def said(content: str | None = None, *calls: dict[str, Any], reason: str = "stop") -> Answer:
    message = {"role": "assistant", "content": content, "tool_calls": list(calls)}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    return Answer(200, {"id": "x", "model": "tiny", "choices": [choice], "usage": usage})


def called(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.fixture(scope="module")
def line() -> Iterator[tuple[OpenAiModel, Loopback]]:
    """One server and one connection: opening one takes longer than all tests."""
    with pytest.MonkeyPatch.context() as patch, Loopback(said()) as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("OPENAI_BASE_URL", f"{server.address}/v1")
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.delenv("AGENT_GYM_OFFLINE", raising=False)
        model = OpenAiModel("tested", attempts=3)
        yield model, server
        model.close()


@pytest.fixture
def asking(line: tuple[OpenAiModel, Loopback]) -> Asking:
    """The model, and the server it asks, which will give these answers."""
    model, server = line
    return lambda *answers: (model, server.expect(*answers))


def test_a_text_reply_is_a_message_with_its_cost(asking: Asking) -> None:
    model, server = asking(said("It has shipped."))
    reply = model.complete(ChatRequest(HELLO.messages, "Be kind.", max_tokens=9))
    assert (reply.message, reply.usage) == (Message("assistant", "It has shipped."), Usage(5, 2))
    [(path, headers, body)] = server.received
    assert (path, headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    user = {"role": "user", "content": "Where is order 7?"}
    system = {"role": "system", "content": "Be kind."}
    assert body == {"model": "tested", "messages": [system, user], "max_tokens": 9}


def test_an_answer_schema_is_asked_for_as_json(asking: Asking) -> None:
    model, server = asking(said("{}"))
    schema = {"type": "object", "properties": {}}
    model.complete(replace(HELLO, answer_schema=schema))
    form = server.received[0].body["response_format"]
    assert (form["type"], form["json_schema"]["schema"]) == ("json_schema", schema)


def test_a_function_call_and_its_result_go_round(asking: Asking) -> None:
    model, server = asking(said(None, called("shop_get_order", '{"id": "7"}')), said("Shipped."))
    first = model.complete(ChatRequest(HELLO.messages, tools=[ORDER])).message
    assert first.tool_calls == (ToolCall("shop.get_order", {"id": "7"}, "c1"),)
    result = Message("tool", name="shop.get_order", tool_call_id="c1", result="not found", is_error=True)
    model.complete(ChatRequest([*HELLO.messages, first, result], tools=[ORDER]))
    body = server.received[1].body
    assert body["tools"][0]["function"]["name"] == "shop_get_order"
    assert body["messages"][1]["tool_calls"][0]["function"]["name"] == "shop_get_order"
    error = json.dumps({"error": "not found"})
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "c1", "content": error}


def test_arguments_that_are_no_object_are_the_agents_mistake_and_travel_as_data(asking: Asking) -> None:
    model, _ = asking(said(None, called("f", '{"id": '), called("f", "[1]")))
    broken, listed = model.complete(HELLO).message.tool_calls
    assert broken.arguments == {"malformed_arguments": '{"id": '}
    assert listed.arguments == {"malformed_arguments": [1]}


def test_too_many_requests_are_tried_again_and_a_bound_is_kept(asking: Asking) -> None:
    model, server = asking(Answer(429, {}), said("Shipped."))
    assert model.complete(HELLO).message.text == "Shipped."
    model, server = asking(Answer(500, {}))
    with pytest.raises(LlmOverloaded) as caught:
        model.complete(HELLO)
    assert (caught.value.status, len(server.received)) == (500, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_not_tried_again(asking: Asking, status: int) -> None:
    model, server = asking(Answer(status, {"error": {"message": "unknown model"}}))
    with pytest.raises(LlmRefused, match="unknown model"):
        model.complete(HELLO)
    assert len(server.received) == 1


def test_a_service_that_never_answers_is_a_timeout(asking: Asking) -> None:
    model, _ = asking(Answer(200, None))
    hasty = replace(model, timeout=0.3, attempts=1)
    with closing(hasty), pytest.raises(LlmTimeout, match=r"0\.3 s"):
        hasty.complete(HELLO)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(200, b'{"choices": [{'), "Invalid JSON"),
        (Answer(200, []), "should be an object"),
        (Answer(200, {"choices": []}), "no choices"),
        (Answer(200, {"choices": [{"message": {"content": 5}}]}), "choices.0.message.content"),
        (said(None), "empty or withheld"),
        (said("half", reason="content_filter"), "content_filter"),
    ],
)
def test_what_is_no_answer_is_a_bad_reply_with_its_reason(asking: Asking, answer: Answer, reason: str) -> None:
    model, _ = asking(answer)
    with pytest.raises(LlmBadReply, match=reason):
        model.complete(HELLO)


def test_no_connection_is_unavailable(asking: Asking) -> None:
    model, _ = asking()
    with Loopback() as gone:
        pass
    lost = replace(model, address=gone.address, attempts=1)
    with closing(lost), pytest.raises(LlmUnavailable, match="cannot be reached"):
        lost.complete(HELLO)


def test_a_server_of_ones_own_needs_no_key_but_openai_does(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    keyed, _ = asking(said("Shipped."))
    monkeypatch.delenv("OPENAI_API_KEY")
    with closing(replace(keyed)) as model:
        assert model.complete(HELLO).message.text == "Shipped."
    monkeypatch.delenv("OPENAI_BASE_URL")
    with pytest.raises(LlmUnavailable, match="OPENAI_API_KEY"):
        OpenAiModel("m").complete(HELLO)


def test_a_missing_sdk_says_what_to_install(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    model, _ = asking()
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(LlmUnavailable, match=r"agent-gym\[openai\]"):
        replace(model).complete(HELLO)


@pytest.mark.parametrize(
    "answer",
    [
        *(Answer(status, {"error": {"message": f"bad key {KEY} " * 30}}) for status in (400, 403, 429, 500)),
        Answer(500, f"<html>{KEY}".encode()),
        Answer(200, f"no JSON: {KEY}".encode()),
        Answer(200, {"choices": [{"message": {"content": [LONG]}}]}),
        Answer(200, {"choices": [{"message": {}, "finish_reason": KEY}]}),
    ],
)
def test_the_key_is_in_no_error_log_or_repr(asking: Asking, answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    model, _ = asking(answer)
    with pytest.raises(LlmError) as caught:
        model.complete(HELLO)
    assert caught.value.__context__ is None
    for text in (str(caught.value), repr(caught.value), repr(model), caplog.text):
        assert KEY[:8] not in text
