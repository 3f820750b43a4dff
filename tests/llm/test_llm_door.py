"""Who may be asked, how it is announced, and what is remembered."""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent_gym.errors import LlmUnavailable, OptionError
from agent_gym.llm import (
    CachedModel,
    ChatReply,
    ChatRequest,
    GeminiModel,
    OpenAiModel,
    Usage,
    gemini_ready,
    open_model,
)
from agent_gym.types import Message, ToolCall
from tests.llm.loopback import KEY, Answer, Loopback

HELLO = ChatRequest([Message("user", "Hello")])
COMPLETION = Answer(200, {"choices": [{"message": {"content": "Hi"}}]})


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("GEMINI_API_KEY", "OPENAI_BASE_URL", "AGENT_GYM_OFFLINE", "AGENT_GYM_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@dataclass
class Scripted:
    """A model that counts how often it is asked."""

    name: str = "scripted"
    address: str = "nowhere"
    asked: list[ChatRequest] = field(default_factory=list)

    def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        message = Message("assistant", "lone \ud800", tool_calls=(ToolCall("f", {"a": [1, None]}, "c"),))
        return ChatReply(message, Usage(1, 2), "scripted-1")


def test_a_spec_opens_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_model("gemini") == GeminiModel("gemini-flash-latest")
    assert open_model("gemini:gemini-9-pro") == GeminiModel("gemini-9-pro")
    assert open_model("openai:tiny:7b") == OpenAiModel("tiny:7b")
    monkeypatch.setenv("AGENT_GYM_MODEL", "gemini-8")
    assert open_model("gemini") == GeminiModel("gemini-8")


@pytest.mark.parametrize("spec", ["gemni", "gemini:", "openai", "openai:", "", "claude:x"])
def test_an_unknown_spec_says_what_there_is(spec: str) -> None:
    with pytest.raises(OptionError, match="gemini:MODEL, openai:MODEL"):
        open_model(spec)


def test_a_misspelt_spec_is_asked_back() -> None:
    with pytest.raises(OptionError, match="did you mean 'gemini'"):
        open_model("gemni")


@pytest.mark.parametrize("spec", ["gemini", "openai:m"])
def test_without_a_key_or_offline_opening_fails_at_once(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    with pytest.raises(LlmUnavailable, match="AGENT_GYM_OFFLINE"):
        open_model(spec)
    monkeypatch.delenv("AGENT_GYM_OFFLINE")
    monkeypatch.delenv("GOOGLE_API_KEY")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(LlmUnavailable, match="needs a key"):
        open_model(spec)


def test_gemini_is_ready_with_either_key_unless_offline(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gemini_ready()
    monkeypatch.delenv("GOOGLE_API_KEY")
    assert not gemini_ready()
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    assert gemini_ready()
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "yes")
    assert not gemini_ready()


def test_a_key_that_no_header_can_carry_is_named_but_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", f"{KEY}\n{KEY}")
    with pytest.raises(LlmUnavailable, match="GOOGLE_API_KEY") as caught:
        open_model("gemini")
    assert KEY not in str(caught.value)


def test_offline_nothing_reaches_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    with Loopback(COMPLETION) as server:
        for model in (GeminiModel("m", server.address), OpenAiModel("m", server.address)):
            with pytest.raises(LlmUnavailable):
                model.complete(HELLO)
            assert "_line" not in vars(model)
    assert server.received == []


def test_the_first_sending_is_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    with Loopback(COMPLETION) as server:
        for _ in range(3):
            model = OpenAiModel("m", server.address.replace("//", "//user:word@"))
            model.complete(HELLO)
            model.close()
    [told] = [record.getMessage() for record in caplog.records if record.name == "agent_gym.llm"]
    assert server.address in told
    assert "AGENT_GYM_OFFLINE=1" in told
    assert "word" not in told


def test_a_known_request_is_answered_from_the_folder_without_asking(tmp_path: Path) -> None:
    model = Scripted()
    first = CachedModel(model, tmp_path / "replies").complete(HELLO)
    again = CachedModel(model, tmp_path / "replies").complete(HELLO)
    assert first == again
    assert len(model.asked) == 1


def test_a_cached_reply_needs_neither_key_nor_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Loopback(COMPLETION) as server:
        model = OpenAiModel("m", server.address)
        cached = CachedModel(model, tmp_path)
        first = cached.complete(HELLO)
        model.close()
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    assert cached.complete(HELLO) == first
    assert all(KEY not in file.read_text() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("model", "request_"),
    [
        (Scripted(name="other"), HELLO),
        (Scripted(address="elsewhere"), HELLO),
        (Scripted(), ChatRequest([Message("user", "hello")])),
        (Scripted(), ChatRequest(HELLO.messages, seed=1)),
        (Scripted(), ChatRequest(HELLO.messages, system="x")),
        (Scripted(), ChatRequest(HELLO.messages, answer_schema={"type": "object"})),
        (Scripted(), ChatRequest(HELLO.messages, tools=[{"name": "f"}])),
    ],
)
def test_another_model_or_request_is_asked_anew(model: Scripted, request_: ChatRequest, tmp_path: Path) -> None:
    CachedModel(Scripted(), tmp_path).complete(HELLO)
    CachedModel(model, tmp_path).complete(request_)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_broken_cache_file_is_written_again(tmp_path: Path) -> None:
    cached = CachedModel(Scripted(), tmp_path)
    first = cached.complete(HELLO)
    [file] = tmp_path.iterdir()
    file.write_text('{"message": ')
    assert cached.complete(HELLO) == first
    assert CachedModel(Scripted(), tmp_path).complete(HELLO) == first


def test_importing_the_door_loads_no_sdk() -> None:
    code = "import sys, agent_gym.llm, agent_gym.agent; print({'openai', 'google.genai'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
