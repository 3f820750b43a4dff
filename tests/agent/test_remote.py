"""What a remote model is told, and which agent a spec makes."""

from dataclasses import dataclass, field

import pytest

from agent_gym.agent import EmbeddedAgent, RemoteAgent, make_agent
from agent_gym.corpus import Corpus
from agent_gym.errors import LlmOverloaded, LlmUnavailable, OptionError
from agent_gym.llm import ChatReply, ChatRequest, GeminiModel, Usage
from agent_gym.types import Agent, Message, ToolCall, Trace
from tests.llm.loopback import KEY, Answer, Loopback

TOOLS = ({"type": "function", "function": {"name": "cancel", "parameters": {"type": "object"}}},)
CANCEL = Message("user", "please cancel my plan today")


def trace(number: int, opener: str, result: str = "done", outcome: str = "resolved") -> Trace:
    call = ToolCall("cancel", {"plan": f"p{number}"}, "c")
    messages = (
        Message("user", opener),
        Message("assistant", tool_calls=(call,)),
        Message("tool", name="cancel", tool_call_id="c", result={"status": result}),
        Message("assistant", f"Plan p{number} is cancelled."),
    )
    return Trace(f"t{number}", messages, outcome)


CORPUS = Corpus(
    [
        trace(1, "I would like to cancel my plan"),
        trace(2, "cancel the plan of my mother, please", outcome="failed"),
        trace(3, "my router blinks red"),
    ]
)


@dataclass
class Scripted:
    """A model that keeps what it is asked."""

    name: str = "scripted"
    address: str = "nowhere"
    asked: list[ChatRequest] = field(default_factory=list)

    def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        return ChatReply(Message("assistant", "Sure."), Usage(), "scripted")


def told(messages: list[Message], corpus: Corpus = CORPUS, policy: str | None = None) -> ChatRequest:
    model = Scripted()
    reply = RemoteAgent(model, corpus, policy).act(messages, TOOLS)
    assert reply == Message("assistant", "Sure.")
    [request] = model.asked
    return request


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for variable in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "AGENT_GYM_OFFLINE", "AGENT_GYM_MODEL"):
        monkeypatch.delenv(variable, raising=False)


def test_the_model_is_shown_similar_successes_with_their_calls_and_results() -> None:
    system = told([CANCEL]).system
    assert "Customer: I would like to cancel my plan" in system
    assert 'Agent calls cancel({"plan":"p1"})\nTool cancel: {"status":"done"}' in system
    assert "p2" not in system


def test_demonstrations_are_marked_as_examples_of_others() -> None:
    policy, examples = told([CANCEL], policy="Be kind.").system.split("\n\n", 1)
    assert policy == "Be kind."
    assert "about other customers" in examples.split("## Example 1")[0]


def test_the_recorded_conversation_of_the_very_case_is_not_shown() -> None:
    system = told([Message("user", "I would like to CANCEL my plan!")]).system
    assert "p1" not in system


def test_nothing_of_the_test_split_is_shown() -> None:
    traces = [trace(n, f"cancel my plan number {n} please", result=f"canary{n}") for n in range(10)]
    corpus = Corpus(traces, test_fraction=0.5)
    system = told([CANCEL], corpus).system
    assert any(f"canary{t.conversation_id[1:]}" in system for t in corpus.train)
    assert not any(f"canary{t.conversation_id[1:]}" in system for t in corpus.test)


def test_an_endless_conversation_makes_a_bounded_example() -> None:
    long = Trace("long", (Message("user", "cancel my plan"), Message("user", "x " * 999)) * 99, "resolved")
    system = told([CANCEL], Corpus([long])).system
    assert len(system) < 6000
    assert system.endswith("…")


def test_the_conversations_own_system_message_is_the_policy() -> None:
    request = told([Message("system", "Own rules."), CANCEL], policy="Other rules.")
    assert request.system.startswith("Own rules.\n\n")
    assert "Other rules." not in request.system
    assert (list(request.messages), request.tools) == ([CANCEL], TOOLS)


def test_without_any_policy_the_model_is_told_not_to_make_things_up() -> None:
    assert "never make up" in told([CANCEL], Corpus([])).system


def test_gemini_calls_a_tool_and_then_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    call = {"functionCall": {"name": "cancel", "args": {"plan": "p9"}}}
    answers = [Answer(200, {"candidates": [{"content": {"parts": [p]}}]}) for p in (call, {"text": "Done."})]
    with Loopback(*answers) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.address)
        agent = make_agent("gemini:m", corpus=CORPUS, write_tools=frozenset(), policy="Be kind.")
        asked = agent.act([CANCEL], TOOLS)
        [made] = asked.tool_calls
        result = Message("tool", name="cancel", tool_call_id=made.id, result="ok")
        assert agent.act([CANCEL, asked, result], TOOLS) == Message("assistant", "Done.")
        _close(agent)
    instruction = server.received[1].body["systemInstruction"]["parts"][0]["text"]
    assert instruction.startswith("Be kind.\n\n")
    assert "## Example 1" in instruction
    assert server.received[1].body["tools"][0]["functionDeclarations"][0]["name"] == "cancel"
    assert [turn["role"] for turn in server.received[1].body["contents"]] == ["user", "model", "user"]


def test_a_failed_call_is_an_error_and_not_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with Loopback(Answer(503, {})) as server:
        agent = RemoteAgent(GeminiModel("m", server.address, attempts=1), CORPUS)
        with pytest.raises(LlmOverloaded):
            agent.act([CANCEL], TOOLS)
        _close(agent)


def test_an_agent_is_taken_as_it_is() -> None:
    agent = RemoteAgent(Scripted(), CORPUS)
    assert make_agent(agent, corpus=CORPUS, write_tools=frozenset()) is agent
    assert isinstance(agent, Agent)


def test_without_a_spec_gemini_answers_where_a_key_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_agent(None, corpus=CORPUS, write_tools=frozenset()), EmbeddedAgent)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("AGENT_GYM_MODEL", "gemini-8")
    agent = make_agent(None, corpus=CORPUS, write_tools=frozenset(), policy="p")
    assert agent == RemoteAgent(GeminiModel("gemini-8"), CORPUS, "p")
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    assert isinstance(make_agent(None, corpus=CORPUS, write_tools=frozenset()), EmbeddedAgent)


def test_a_remote_agent_asked_for_without_a_key_is_an_error_not_a_substitute() -> None:
    with pytest.raises(LlmUnavailable):
        make_agent("gemini", corpus=CORPUS, write_tools=frozenset())


@pytest.mark.parametrize("spec", ["embeded", "gemini:", "gpt", "", RemoteAgent, 7])
def test_an_unknown_agent_says_what_there_is(spec: object) -> None:
    with pytest.raises(OptionError, match="embedded"):
        make_agent(spec, corpus=CORPUS, write_tools=frozenset())  # type: ignore[arg-type]  # what users try


def _close(agent: Agent) -> None:
    assert isinstance(agent, RemoteAgent)
    assert isinstance(agent.model, GeminiModel)
    agent.model.close()
