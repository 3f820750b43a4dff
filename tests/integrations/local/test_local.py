"""A real language model on this machine, as agent and behind its own server: nothing here leaves the machine."""

import pytest

from agent_gym.agent import make_agent
from agent_gym.corpus import Corpus
from agent_gym.environment import create_environment
from agent_gym.environment.rollout import play
from agent_gym.errors import LlmUnavailable
from agent_gym.evaluation import agent_source, evaluate, planned
from agent_gym.llm import ChatRequest, LocalModel
from agent_gym.types import Message, Trace
from tests.environment import clinic

TOOLS = [clinic.schema("get_visit"), clinic.schema("cancel_visit")]
ASKED = [Message("system", "You work at a clinic. Look things up."), Message("user", "What about visit V-7011?")]


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel()


@pytest.fixture(scope="module")
def gym():
    return create_environment(clinic.traces(), agent="embedded")


def test_a_turn_with_tools_is_words_or_a_call_of_the_schema(model):
    for seed in range(3):
        said = model.complete(ChatRequest(ASKED, tools=TOOLS, temperature=1.0, seed=seed, max_tokens=96)).message
        assert said.text or all(set(call.arguments) == {"visit_id"} for call in said.tool_calls)
        assert {call.name for call in said.tool_calls} <= {"get_visit", "cancel_visit"}


def test_the_same_request_has_the_same_answer(model):
    request = ChatRequest(ASKED, tools=TOOLS, temperature=0.0, seed=1, max_tokens=64)
    assert model.complete(request) == model.complete(request)


def test_tokens_are_counted(model):
    assert model.complete(ChatRequest(ASKED, max_tokens=8)).usage.output_tokens == 8


def test_it_plays_an_episode_without_a_network(gym, monkeypatch):
    monkeypatch.setenv("AGENT_GYM_OFFLINE", "1")
    agent = make_agent("local", corpus=Corpus(Trace.of(t) for t in clinic.traces()), write_tools=frozenset())
    rollout = play(gym.episode("c1", max_turns=3), agent)
    assert rollout.failure is None and rollout.score is not None
    assert sum(message.trainable for message in rollout.messages) <= 3


def test_its_own_server_is_reached_as_any_other(model, gym, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", model.listening)
    monkeypatch.delenv("AGENT_GYM_OFFLINE", raising=False)
    plan = planned(gym, None, episodes=1)
    attempts = evaluate(gym, agent_source("openai:local", gym), plan, max_turns=2)
    assert [attempt.rollout.failure for attempt in attempts] == [None]
    assert any(message.trainable and (message.text or message.tool_calls) for message in attempts[0].rollout.messages)


def test_a_file_that_is_no_model_is_named(tmp_path):
    with pytest.raises(LlmUnavailable, match="no model at"):
        LocalModel(str(tmp_path / "none.gguf")).check()
