"""Help-desk transcripts without a tool call: goals and ends come from the words and the outcome."""

import pytest

from agent_gym import create_environment
from agent_gym.environment import Environment, play
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.evaluation.agents import DoNothing
from agent_gym.types import Json
from tests.environment.clinic import agent, user

ZONES = ("A", "B", "C")


def parking(zone: str, price: str) -> dict[str, Json]:
    messages = [
        user(f"What does a resident's permit cost in zone {zone}?"),
        agent("Happy to help. What is your street?"),
        user(f"{zone}lder Lane 12"),
        agent("One moment, please."),
        user("Sure."),
        agent(f"A permit for zone {zone} costs ${price} a year, and it takes 14 days. Anything else?"),
        user("No, that's all. Thanks, bye."),
    ]
    return {"conversation_id": zone, "outcome": "resolved", "messages": messages}


@pytest.fixture(scope="module")
def office() -> Environment:
    prices = ("41.50", "62.00", "88.25")
    return create_environment([parking(z, p) for z, p in zip(ZONES, prices, strict=True)], agent="embedded")


def test_every_conversation_can_be_played_for_a_goal(office):
    assert [s.scorable for s in office.scenarios()] == [True] * len(ZONES)
    assert office.tool_mocker.tools == ()


def test_an_agent_who_tells_the_facts_satisfies_the_customer(office):
    rollout = play(office.episode("B"), ReplayAgent(office.corpus["B"]))
    assert (rollout.ending, rollout.user_errors) == ("customer_left", ())
    assert rollout.score is not None and rollout.score.success


def test_done_alone_is_no_answer(office):
    episode = office.episode("B")
    step = episode.step("That is all done for you. Anything else?")
    assert not (step.info["score"] is not None and step.info["score"].success)
    assert play(office.episode("B"), DoNothing()).score == 0.0


def test_the_customer_waits_while_the_agent_looks(office):
    episode = office.episode("C")
    step = episode.step("Let me check that for you.")
    assert not step.terminated
    assert "permit" not in step.observation


def test_politeness_alone_brings_the_question_back(office):
    step = office.episode("A").step("Thank you for your patience. Is there anything else I can help you with?")
    assert "zone A" in step.observation
    assert not step.terminated
