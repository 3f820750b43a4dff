"""Tokens: counted for each episode, kept in the run, added up, and priced where a price is given."""

from pathlib import Path

import pytest

from agent_gym.agent import RemoteAgent
from agent_gym.environment import Environment
from agent_gym.errors import LlmTimeout, OptionError
from agent_gym.evaluation import Price, RunFile, evaluate, planned, summarised
from agent_gym.evaluation.metering import metered
from agent_gym.llm import ChatReply, ChatRequest, Usage
from agent_gym.types import Message


class Counting:
    """A model that counts 10 tokens in and 2 out for every answer, and fails when told to."""

    name, address = "counting", "nowhere"

    def __init__(self, answers: int = 10_000) -> None:
        self.answers = answers

    def complete(self, request: ChatRequest) -> ChatReply:
        self.answers -= 1
        if self.answers < 0:
            raise LlmTimeout("too late")
        return ChatReply(Message("assistant", "Hello."), Usage(10, 2), "counting")


def attempts(desk: Environment, model: Counting, run: RunFile | None = None):
    agent = RemoteAgent(model, desk.corpus)
    return evaluate(desk, lambda _: metered(agent), planned(desk, "train", episodes=2), run=run, max_turns=3)


def test_every_episode_has_its_own_count(desk: Environment):
    made = attempts(desk, Counting())
    assert [attempt.usage for attempt in made] == [Usage(30, 6)] * 2
    assert summarised(made).to_dict()["tokens"] == {"input": 60, "output": 12}


def test_what_a_failed_episode_used_is_counted_too(desk: Environment):
    assert summarised(attempts(desk, Counting(4))).usage == Usage(40, 8)


def test_the_count_survives_the_file(desk: Environment, tmp_path: Path):
    run = RunFile.start_or_resume(tmp_path / "run.jsonl", {})
    assert attempts(desk, Counting(), run) == run.attempts()


def test_a_price_makes_it_a_cost(desk: Environment):
    summary = summarised(attempts(desk, Counting()), Price.of_text("1000/5000"))
    assert summary.cost == pytest.approx(0.06 + 0.06)


def test_without_a_model_nothing_is_counted(desk: Environment):
    summary = summarised(evaluate(desk, lambda _: metered(desk.agent), planned(desk, "train", episodes=1)))
    assert (summary.usage, summary.cost) == (None, None)


@pytest.mark.parametrize("text", ["cheap", "-1/2", "nan/1", "1/2/3", ""])
def test_what_is_no_price_is_refused(text: str):
    with pytest.raises(OptionError, match="is no price"):
        Price.of_text(text)
