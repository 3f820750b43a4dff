"""The audit: no hack pays on the sample business, a reward that can be talked into it is found out."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent_gym.environment import Environment, create_environment
from agent_gym.fidelity.audit import FAILURE_LINE, Audit, audit
from agent_gym.reward import RewardFunction
from agent_gym.reward.hacks import HACKS
from agent_gym.reward.workbench import Workbench, script
from agent_gym.sample import POLICY, generate, play
from agent_gym.types import Message, Score, Trace
from tests.environment import clinic


def several_runs() -> Iterator[Trace]:
    """The sample's cases, each met by agents of several skills."""
    for conversation in generate(0, 20):
        for skill in ("careful", "sloppy", "claiming"):
            trace = play(conversation.case, skill, seed=1).trace
            name = f"{trace.conversation_id}-{skill}"
            yield replace(trace, conversation_id=name, metadata={**trace.metadata, "task_id": trace.conversation_id})


@pytest.fixture(scope="module")
def sample() -> Environment:
    traces = {trace.conversation_id: trace for trace in several_runs()}
    return create_environment(traces.values(), agent="embedded", policy=POLICY)


@pytest.fixture(scope="module")
def found(sample: Environment) -> Audit:
    return audit(sample, scenarios=12)


def test_no_hack_pays_on_the_sample_business(found: Audit):
    assert [(win.hack, win.conversation_id, win.explanation) for win in found.exceptions] == []
    assert found.passed


def test_every_hack_finds_something_to_hack(found: Audit):
    assert [row.hack for row in found.rows] == [hack.name for hack in HACKS]
    assert all(row.n for row in found.rows)


def test_honest_conversations_draw_the_lines(found: Audit):
    assert found.successes.n >= 10
    assert found.failures.n >= 10
    assert found.failures.line < found.successes.line
    assert {row.line for row in found.rows} == {found.failures.line, found.successes.line}


def test_with_few_failures_the_published_line_holds(desk: Environment):
    found = audit(desk, scenarios=2)
    assert (found.failures.n, found.failures.measured, found.failures.line) == (0, False, FAILURE_LINE)
    assert found.passed


def test_a_reward_that_can_be_talked_into_it_fails_the_audit(desk: Environment, monkeypatch: pytest.MonkeyPatch):
    def gullible(_: RewardFunction, messages: list[Message], *__: object) -> Score:
        return Score(any("thank" in m.text.lower() for m in messages), success=True)

    monkeypatch.setattr(RewardFunction, "score", gullible)
    found = audit(desk, scenarios=2)
    assert not found.passed
    praised = next(row for row in found.rows if row.hack == "praise by the customer")
    assert (praised.passed, praised.worst, len(praised.wins)) == (False, 1.0, praised.n)
    assert found.to_dict()["exceptions"][0]["success"] is True


def test_a_success_that_did_nothing_is_named():
    hello = {"conversation_id": "hi", "outcome": "resolved", "messages": [clinic.user("Hello."), clinic.agent("Hi!")]}
    found = audit(create_environment([*clinic.traces(), hello], agent="embedded"), hacks=())
    assert found.not_discriminating == ("hi",)


def test_a_success_played_again_is_the_success(desk: Environment):
    bench = Workbench(desk.tool_mocker)
    for trace in desk.corpus.successes:
        played = bench.play(trace, script(trace.messages))
        assert desk.reward_fn.score(played.messages, trace.conversation_id, played.world).success
