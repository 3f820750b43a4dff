"""The generated log: deterministic, true to the backend, as varied as people are."""

import itertools
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

import pytest

from agent_gym.errors import OptionError
from agent_gym.sample import SKILLS, Case, SampleConversation, cases, generate, play, succeeded
from agent_gym.sample.chance import seeded
from agent_gym.sample.customers import Customer
from agent_gym.types import Message

DIGEST = """
import hashlib, json
from agent_gym.sample import generate
log = json.dumps([c.trace.to_dict() for c in generate(3, 40)])
print(hashlib.sha256(log.encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def log() -> list[SampleConversation]:
    return generate(0, 640)


@pytest.fixture(scope="module")
def day() -> list[Case]:
    return cases(5, 150)


def share(flags: list[bool]) -> float:
    return sum(flags) / len(flags)


def test_the_same_seed_gives_the_same_bytes_in_any_process():
    def digest(hash_seed: str) -> bytes:
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        return subprocess.run([sys.executable, "-c", DIGEST], env=environment, capture_output=True, check=True).stdout

    assert digest("1") == digest("2")


def test_another_seed_gives_other_customers_and_other_words(log):
    first, second = log[:30], generate(1, 30)
    assert not {c.case.account_id for c in first} & {c.case.account_id for c in second}
    assert not {c.case.opener for c in first} & {c.case.opener for c in second}


def test_fewer_conversations_are_a_prefix_of_more(log):
    assert [c.trace for c in generate(0, 25)] == [c.trace for c in log[:25]]


def test_every_customer_calls_once(log):
    assert len({c.trace.metadata["customer_id"] for c in log}) == len(log) == 640
    assert len({c.trace.conversation_id for c in log}) == 640


def test_conversations_have_3_to_30_messages(log):
    lengths = [len(c.trace.messages) for c in log]
    assert min(lengths) >= 3
    assert max(lengths) <= 30


def test_a_fresh_backend_answers_the_recorded_calls_as_recorded(log):
    for conversation in log:
        backend = conversation.case.backend()
        for call, recorded in conversation.trace.calls():
            assert recorded is not None
            answer = backend.call(call.name, call.arguments)
            assert (answer.result, answer.is_error) == (recorded.result, recorded.is_error)


def test_the_outcome_follows_from_the_end_state(log):
    for conversation in log:
        backend = conversation.case.backend()
        for call, _ in conversation.trace.calls():
            backend.call(call.name, call.arguments)
        messages = conversation.trace.messages
        ended_right = succeeded(conversation.case, backend, messages, insisted=True)
        assert ended_right or not conversation.success
        if conversation.trace.outcome is not None:
            assert (conversation.trace.outcome == "resolved") == conversation.success


def test_about_three_in_five_are_resolved_and_every_outcome_occurs(log):
    assert 0.55 <= share([c.success for c in log]) <= 0.65
    assert {c.trace.outcome for c in log} == {"resolved", "unresolved", "escalated", "abandoned", None}


def test_some_conversations_have_neither_outcome_nor_score(log):
    neither = [c.trace.outcome is None and c.trace.satisfaction_score is None for c in log]
    assert 0.01 <= share(neither) <= 0.1
    scores = {c.trace.satisfaction_score for c in log} - {None}
    assert scores == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_satisfaction_goes_with_success_but_not_always(log):
    rated = [(c.trace.satisfaction_score, c.success) for c in log if c.trace.satisfaction_score is not None]
    happy, unhappy = ([s for s, success in rated if success is wanted] for wanted in (True, False))
    assert sum(happy) / len(happy) > sum(unhappy) / len(unhappy) + 0.8
    assert min(happy) < max(unhappy)


def test_careful_agents_succeed_more_often_than_sloppy_and_those_more_than_claiming(day):
    rates = {skill: share([play(c, skill).success for c in day]) for skill in SKILLS}
    assert rates["careful"] > rates["policy_breaking"] > rates["claiming"]
    assert rates["careful"] > rates["sloppy"] > rates["claiming"]


def test_every_case_can_be_brought_to_a_right_end(day):
    for case in day:
        for end in case.right_ends():
            told = " ".join(fact[0] for fact in case.facts)
            assert succeeded(case, end, [Message("assistant", told)])


def test_doing_nothing_and_saying_nothing_is_no_success(day):
    idle = [succeeded(case, case.backend(), []) for case in day]
    only_dropped = [all(not r.steps and not r.facts for r in case.requests) for case in day]
    assert idle == only_dropped


def test_the_trace_does_not_give_the_goal_away(log):
    assert all(set(c.trace.metadata) == {"customer_id", "run", "started_at"} for c in log)


def test_no_two_customers_open_with_the_same_words(log):
    openers = [re.sub(r"[^a-z]+", " ", c.case.opener.lower()).strip() for c in log]
    assert len(set(openers)) == len(openers)


def test_the_same_request_is_worded_in_many_ways(log):
    by_kind = defaultdict(list)
    for conversation in log:
        if conversation.case.raised == 1:
            words = frozenset(re.findall(r"[a-z']+", conversation.case.opener.lower()))
            by_kind[conversation.case.requests[0].kind].append(words)
    for openers in by_kind.values():
        shared = [len(a & b) / len(a | b) for a, b in itertools.combinations(openers, 2)]
        assert sum(shared) / len(shared) < 0.25


def test_no_template_is_left_unfilled(log):
    texts = [m.text for c in log for m in c.trace.messages]
    assert not [text for text in texts if re.search(r"[{}<>|\[\]]", text)]


def test_agents_call_several_tools_at_once_and_meet_errors(log):
    turns = [m for c in log for m in c.trace.messages if m.tool_calls]
    assert share([len(m.tool_calls) > 1 for m in turns]) > 0.03
    results = [m for c in log for m in c.trace.messages if m.role == "tool"]
    assert 0.02 < share([m.is_error for m in results]) < 0.2


def test_an_agent_of_another_skill_plays_the_same_case(day):
    case = day[2]
    openers = {next(m.text for m in play(case, skill).trace.messages if m.role == "user") for skill in SKILLS}
    assert openers == {case.opener}
    assert play(case, "careful", 1).trace == play(case, "careful", 1).trace


def test_an_unknown_skill_is_named_with_the_known_ones(day):
    with pytest.raises(OptionError, match="careful"):
        play(day[0], "brilliant")


def test_a_trace_is_plain_json(log):
    assert all(json.loads(json.dumps(c.trace.to_dict())) == c.trace.to_dict() for c in log[:50])


def test_a_customer_turns_down_what_was_never_asked_for_and_says_again_what_was():
    case = cases(seed=3, count=1)[0]
    customer = Customer(case, seeded("customer", 3))
    said = customer.turn_down(0)
    assert said.answer is False and set(said.details) == {0} and customer.irritation > 0
