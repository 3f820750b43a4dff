"""Logs as they are: whatever is missing, mixed or foreign has a defined score or a clear error."""

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from agent_gym.environment import Environment, create_environment
from agent_gym.errors import UnscorableError
from agent_gym.fidelity import audit
from agent_gym.types import Json, Message, Trace
from tests.environment import clinic

TALK: list[Mapping[str, Json]] = clinic.cancelled(1)["messages"]


def environment(*traces: Mapping[str, Json]) -> Environment:
    return create_environment(traces, agent="embedded")


def test_without_any_outcome_goals_are_assumed_and_say_so():
    env = environment(*(clinic.cancelled(i, outcome=None) for i in range(4)))
    score = env.reward_fn.score(TALK, reference="c1")
    assert (score.success, score.flags) == (True, ("assumed_goal",))
    found = audit(env, scenarios=1)
    assert (found.passed, found.successes.n, found.successes.measured) == (True, 0, False)


def test_with_successes_alone_failures_have_the_published_line():
    found = audit(environment(*(clinic.cancelled(i) for i in range(4))), scenarios=1)
    assert (found.passed, found.failures.measured) == (True, False)


def test_with_failures_alone_nothing_can_be_scored_and_the_error_says_why():
    env = environment(*(clinic.cancelled(i, outcome="failed") for i in range(4)))
    with pytest.raises(UnscorableError, match="did not succeed"):
        env.reward_fn.score(TALK, reference="c1")
    with pytest.raises(UnscorableError, match="add conversations with an outcome"):
        audit(env)


@pytest.mark.parametrize("ratings", [(1, 5, 80, 100), (0.2, 4, -3, 1e9), (math.nan, 3, math.inf, None)])
def test_ratings_on_any_scale_do_not_touch_the_score(ratings):
    rated = [clinic.cancelled(i, satisfaction_score=rating) for i, rating in enumerate(ratings)]
    traces = [
        replace(Trace.of(trace | {"satisfaction_score": None}), satisfaction_score=trace["satisfaction_score"])
        for trace in rated
    ]
    score = create_environment(traces, agent="embedded").reward_fn.score(TALK, reference="c1")
    assert (float(score), score.success) == (1.0, True)


def test_a_reference_from_another_domain_is_no_success(desk: Environment):
    pizza = {"messages": [clinic.user("One pizza please."), clinic.agent("It is 9.50."), clinic.user("Thanks.")]}
    score = desk.reward_fn.score(TALK, reference=pizza)
    assert not score.success
    assert desk.reward_fn.score(pizza["messages"], reference="c1") == 0.0


def test_messages_without_an_assistant_score_nothing(desk: Environment):
    for messages in ([], [clinic.user("Hello?")], [{"role": "system", "content": "Be kind."}]):
        score = desk.reward_fn.score(messages, reference="c1")
        assert (float(score), score.success) == (0.0, False)


def test_a_write_without_a_result_is_not_counted_as_made(desk: Environment):
    messages = [message for message in TALK if message["role"] != "tool"]
    score = desk.reward_fn.score(messages, reference="c1")
    assert not score.success
    assert "required write" in score.explanation


@pytest.mark.parametrize(
    "words", ["私の予約をキャンセルしてください", "أريد إلغاء موعدي", "Bitte stornieren Sie meinen Termin"]
)
def test_text_in_any_language_has_a_score(desk: Environment, words: str):
    done = [clinic.user(words), *TALK[1:5], clinic.agent(words), clinic.user(words)]
    assert desk.reward_fn.score(done, reference="c1").success
    assert desk.reward_fn(words, ground_truth=words) > 0.8
    assert desk.reward_fn("no", ground_truth=words) < 0.5


def test_a_conversation_of_5000_messages_is_scored(desk: Environment):
    chatter = [clinic.user("And the weather?"), clinic.agent("It is 21 degrees, V-7011.")] * 2500
    score = desk.reward_fn.score([*chatter, *TALK], reference="c1")
    assert score.success
    assert not desk.reward_fn.score(chatter, reference="c1").success


def test_content_that_is_odd_but_allowed_has_a_score(desk: Environment):
    odd = [Message("assistant", "\x00\ud800 \u202e"), Message("tool", result=math.nan), Message("user", None)]
    assert desk.reward_fn.score(odd, reference="c1") == 0.0
