"""Do recorded agents rank as they really did? A clinic where one agent is good, one sloppy, one idle."""

import pytest

from agent_gym.fidelity.ranking import agent_key, measure_ranking
from agent_gym.types import Json, Trace
from tests.environment import clinic

CASES = range(clinic.PATIENTS)
# agent → the cases it solves
SKILL = {"careful": CASES, "tidy": CASES, "sloppy": CASES[::2], "idle": CASES[:1]}


def attempt(i: int, agent: str, **metadata: Json) -> Trace:
    solved = i in SKILL[agent]
    told = {"task_id": i, "model": agent, **metadata}
    trace = clinic.cancelled(i, conversation_id=f"{agent}{i}", metadata=told)
    if not solved:
        trace["outcome"] = "unresolved"
        trace["messages"] = [trace["messages"][0], clinic.agent("I cannot help with that."), clinic.user("Bye.")]
    return Trace.of(trace)


@pytest.fixture(scope="module")
def log() -> list[Trace]:
    return [attempt(i, agent) for i in CASES for agent in SKILL]


def test_agents_rank_in_the_gym_as_the_log_says(log):
    found = measure_ranking(log)
    assert found.key == "model" and not found.why
    assert {agent.name: agent.real.n for agent in found.agents} == dict.fromkeys(SKILL, len(CASES))
    assert found.spearman == pytest.approx(1.0) and found.interval[0] > 0
    assert (found.ordered.value, found.ordered.n) == (1.0, 5)  # careful and tidy do not differ


def test_the_figures_are_told_with_their_n(log):
    told = measure_ranking(log).to_dict()
    assert (told["agents"], told["conversations"], told["pairs"]) == (4, 32, 5)
    assert set(told["by_agent"]["idle"]) == {"conversations", "real", "real_interval", "live", "live_interval"}


def test_a_log_that_names_no_agents_says_what_is_missing():
    log = [Trace.of(trace) for trace in clinic.traces()]
    assert agent_key(log) is None
    assert "does not say who answered" in measure_ranking(log).to_dict()["why"]


def test_agents_who_never_met_the_same_case_cannot_be_ranked():
    log = [attempt(i, agent, task_id=f"{agent} {i}") for i in CASES for agent in SKILL]
    assert "met by several agents" in measure_ranking(log).why
