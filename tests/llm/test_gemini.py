"""The real Google SDK against a loopback server that speaks Gemini's wire format."""

import base64
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from agent_gym.errors import LlmBadReply, LlmError, LlmOverloaded, LlmRefused, LlmTimeout, LlmUnavailable
from agent_gym.llm import ChatRequest, GeminiModel, Usage
from agent_gym.types import Message, ToolCall
from tests.llm.loopback import KEY, LONG, Answer, Loopback

HELLO = ChatRequest([Message("user", "Where is order 7?")])
PARAMETERS = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
ORDER = {
    "type": "function",
    "function": {"name": "get_order", "description": "One order", "parameters": PARAMETERS},
}
Asking = Callable[..., tuple[GeminiModel, Loopback]]


def said(*parts: dict[str, Any], reason: str = "STOP") -> Answer:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}
    used = {"promptTokenCount": 11, "candidatesTokenCount": 3, "thoughtsTokenCount": 4}
    return Answer(200, {"candidates": [candidate], "usageMetadata": used, "modelVersion": "gemini-9"})


def refused(status: int, words: str = "no") -> Answer:
    return Answer(status, {"error": {"code": status, "message": words, "status": "REASON"}})


@pytest.fixture(scope="module")
def line() -> Iterator[tuple[GeminiModel, Loopback]]:
    """One server and one connection: opening one takes longer than all tests."""
    with pytest.MonkeyPatch.context() as patch, Loopback(said()) as server:
        patch.setenv("GOOGLE_API_KEY", KEY)
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.delenv("GEMINI_API_KEY", raising=False)
        patch.delenv("AGENT_GYM_OFFLINE", raising=False)
        model = GeminiModel("tested", server.address, first_delay=0.001, attempts=3)
        yield model, server
        model.close()


@pytest.fixture
def asking(line: tuple[GeminiModel, Loopback]) -> Asking:
    """The model, and the server it asks, which will give these answers."""
    model, server = line
    return lambda *answers: (model, server.expect(*answers))


def test_a_text_reply_is_a_message_with_its_cost(asking: Asking) -> None:
    model, _ = asking(said({"text": "hm", "thought": True}, {"text": "It has "}, {"text": "shipped."}))
    reply = model.complete(HELLO)
    assert reply.message == Message("assistant", "It has shipped.")
    assert (reply.usage, reply.model) == (Usage(11, 7), "gemini-9")


def test_the_request_carries_policy_tools_settings_and_key_in_the_header_only(asking: Asking) -> None:
    model, server = asking(said({"text": "Yes"}))
    model.complete(ChatRequest(HELLO.messages, "Be kind.", [ORDER], temperature=0.5, max_tokens=9, seed=3))
    [(path, headers, body)] = server.received
    assert path == "/v1beta/models/tested:generateContent"
    assert headers["x-goog-api-key"] == KEY
    assert KEY not in path + str(body)
    assert body["systemInstruction"]["parts"] == [{"text": "Be kind."}]
    assert body["contents"] == [{"role": "user", "parts": [{"text": "Where is order 7?"}]}]
    [declared] = body["tools"][0]["functionDeclarations"]
    schema = declared.get("parametersJsonSchema") or declared.get("parameters_json_schema")  # both are valid
    assert (declared["name"], declared["description"], schema) == ("get_order", "One order", PARAMETERS)
    assert body["generationConfig"] == {"temperature": 0.5, "maxOutputTokens": 9, "seed": 3}


def test_an_answer_schema_is_asked_for_as_json(asking: Asking) -> None:
    model, server = asking(said({"text": "{}"}))
    model.complete(replace(HELLO, answer_schema=PARAMETERS))
    settings = server.received[0].body["generationConfig"]
    assert settings["responseMimeType"] == "application/json"
    assert settings["responseJsonSchema"] == PARAMETERS


def test_a_function_call_and_its_result_go_round_with_the_signature(asking: Asking) -> None:
    signature = base64.b64encode(b"opaque").decode()
    call = {"functionCall": {"name": "get_order", "args": {"id": "7"}}, "thoughtSignature": signature}
    model, server = asking(said(call), said({"text": "Shipped."}))
    first = model.complete(ChatRequest(HELLO.messages, tools=[ORDER])).message
    [made] = first.tool_calls
    assert (made.name, made.arguments) == ("get_order", {"id": "7"})
    result = Message("tool", name="get_order", tool_call_id=made.id, result={"status": "shipped"})
    model.complete(ChatRequest([*HELLO.messages, first, result], tools=[ORDER]))
    _, called, answered = server.received[1].body["contents"]
    assert called["parts"][0]["thoughtSignature"] == signature
    assert called["parts"][0]["functionCall"]["args"] == {"id": "7"}
    response = {"id": made.id, "name": "get_order", "response": {"output": {"status": "shipped"}}}
    assert answered == {"role": "user", "parts": [{"functionResponse": response}]}


def test_a_call_without_an_id_gets_the_same_one_every_time(asking: Asking) -> None:
    model, _ = asking(said({"functionCall": {"name": "a"}}, {"functionCall": {"name": "a", "id": "own"}}))
    first, again = model.complete(HELLO).message, model.complete(HELLO).message
    assert first == again
    assert first.tool_calls[0].id.startswith("call_")
    assert first.tool_calls[1].id == "own"


def test_a_call_the_model_did_not_make_carries_the_documented_marker(asking: Asking) -> None:
    model, server = asking(said({"text": "ok"}))
    calls = (ToolCall("get_order", {"id": "7"}), ToolCall("get_order", {"id": "8"}))
    results = [Message("tool", name="get_order", result=n) for n in (7, 8)]
    model.complete(ChatRequest([*HELLO.messages, Message("assistant", tool_calls=calls), *results]))
    first, second = server.received[0].body["contents"][1]["parts"]
    marker = base64.urlsafe_b64decode(first["thoughtSignature"])
    assert marker == b"skip_thought_signature_validator"
    assert "thoughtSignature" not in second


def test_gemini_hears_the_user_first_even_after_a_greeting(asking: Asking) -> None:
    model, server = asking(said({"text": "ok"}))
    model.complete(ChatRequest([Message("assistant", "Hello, how can I help?"), *HELLO.messages]))
    assert [turn["role"] for turn in server.received[0].body["contents"]] == ["user", "model", "user"]


def test_a_dotted_tool_name_survives_the_way_there_and_back(asking: Asking) -> None:
    tool = {"name": "Calendar.add event", "parameters": {"type": "object", "properties": {}}}
    model, server = asking(said({"functionCall": {"name": "Calendar_add_event", "args": {}}}))
    reply = model.complete(ChatRequest(HELLO.messages, tools=[tool]))
    declared = server.received[0].body["tools"][0]["functionDeclarations"]
    assert declared == [{"name": "Calendar_add_event"}]
    assert reply.message.tool_calls[0].name == "Calendar.add event"


def test_too_many_requests_are_tried_again(asking: Asking) -> None:
    model, server = asking(refused(429), refused(503), said({"text": "Shipped."}))
    assert model.complete(HELLO).message.text == "Shipped."
    assert len(server.received) == 3


def test_a_service_that_stays_down_is_overloaded_after_bounded_retries(asking: Asking) -> None:
    model, server = asking(refused(500))
    with pytest.raises(LlmOverloaded) as caught:
        model.complete(HELLO)
    assert (caught.value.status, len(server.received)) == (500, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_not_tried_again(asking: Asking, status: int) -> None:
    model, server = asking(refused(status, "API key not valid"))
    with pytest.raises(LlmRefused, match="API key not valid") as caught:
        model.complete(HELLO)
    assert (caught.value.status, len(server.received)) == (status, 1)


def test_a_service_that_never_answers_is_a_timeout(asking: Asking) -> None:
    model, _ = asking(Answer(200, None))
    hasty = replace(model, timeout=0.3, attempts=1)
    with closing(hasty), pytest.raises(LlmTimeout, match=r"0\.3 s"):
        hasty.complete(HELLO)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(200, b'{"candidates": [{"con'), "sent no Gemini answer"),
        (Answer(200, {"candidates": 7}), "sent no Gemini answer"),
        (Answer(200, b""), "no candidates"),
        (Answer(200, {"candidates": []}), "no candidates"),
        (Answer(200, {"promptFeedback": {"blockReason": "SAFETY"}}), "blocked .SAFETY."),
        (said(reason="MALFORMED_FUNCTION_CALL"), "MALFORMED_FUNCTION_CALL"),
        (said({"text": "half a se"}, reason="SAFETY"), "SAFETY"),
        (said({"text": "hm", "thought": True}, reason="MAX_TOKENS"), "allow more tokens"),
        (said(), "empty message"),
        (Answer(302, {}), "302"),
    ],
)
def test_what_is_no_answer_is_a_bad_reply_with_its_reason(asking: Asking, answer: Answer, reason: str) -> None:
    model, _ = asking(answer)
    with pytest.raises(LlmBadReply, match=reason):
        model.complete(HELLO)


def test_a_redirect_takes_the_key_nowhere(asking: Asking) -> None:
    with Loopback(said({"text": "Got it."})) as elsewhere:
        model, _ = asking(Answer(307, {}, elsewhere.address))
        with pytest.raises(LlmBadReply, match="307"):
            model.complete(HELLO)
    assert elsewhere.received == []


def test_no_connection_is_unavailable(asking: Asking) -> None:
    model, _ = asking()
    with Loopback() as gone:
        pass
    lost = replace(model, address=gone.address, attempts=1)
    with closing(lost), pytest.raises(LlmUnavailable, match="cannot be reached"):
        lost.complete(HELLO)


@pytest.mark.parametrize(
    "answer",
    [
        *(refused(status, f"your key {KEY} is wrong" * 20) for status in (400, 403, 429, 500)),
        Answer(500, f"<html>{KEY}".encode()),
        Answer(400, KEY),
        Answer(200, f"no JSON: {KEY}".encode()),
        Answer(200, {"candidates": [{"content": {"parts": [{"functionCall": {"name": [LONG]}}]}}]}),
        Answer(200, {"candidates": [{"finishReason": "SAFETY", "finishMessage": KEY}]}),
    ],
)
def test_the_key_is_in_no_error_log_or_repr(asking: Asking, answer: Answer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    model, _ = asking(answer)
    with pytest.raises(LlmError) as caught:
        model.complete(HELLO)
    assert caught.value.__context__ is None
    for text in (str(caught.value), repr(caught.value), repr(model), repr(vars(model)["_line"][0]), caplog.text):
        assert KEY[:8] not in text
