"""Actions: whatever an agent sends is carried out, or comes back as something to learn from."""

import json
from dataclasses import replace

import orjson
import pytest

from agent_gym.environment.action import action_text, read_action
from agent_gym.environment.rollout import rolled_out
from agent_gym.types import Json, Message, ToolCall
from tests.environment import clinic
from tests.environment.clinic import call, calls

LOOK = {"name": "get_visit", "arguments": {"visit_id": clinic.key(1)}}


def nested(levels: int) -> list[Json]:
    core: list[Json] = []
    for _ in range(levels):
        core = [core]
    return core


def with_argument(value: Json) -> dict[str, Json]:
    return {"tool_calls": [{"name": "get_visit", "arguments": {"visit_id": value}}]}


@pytest.mark.parametrize(
    "action",
    [
        {"tool_calls": [LOOK]},
        {"role": "assistant", "content": None, "tool_calls": [LOOK | {"id": "call_0"}]},
        json.dumps({"tool_calls": [LOOK]}),
        "  " + json.dumps({"content": "one moment", "tool_calls": [LOOK]}) + "\n",
        Message("assistant", None, (ToolCall("get_visit", {"visit_id": clinic.key(1)}),)),
    ],
)
def test_a_tool_call_may_be_a_dict_json_or_a_message(desk, action):
    episode = desk.episode("c1")
    step = episode.step(action)
    assert step.observation == "get_visit: " + orjson.dumps(clinic.visit(1)).decode()
    assert [(m.role, m.trainable) for m in episode.messages[-2:]] == [("assistant", True), ("tool", False)]
    assert episode.messages[-1].tool_call_id == "call_0"


MALFORMED: dict[str, tuple[Json, str]] = {
    "no text": ("", "the action is empty"),
    "blank text": (" \n\t", "the action is empty"),
    "an empty dict": ({}, "the action is empty"),
    "no calls": ({"tool_calls": []}, "the action is empty"),
    "nothing": (None, "found NoneType"),
    "a number": (5, "found int"),
    "a list": ([LOOK], "found list"),
    "bytes": (b"hi", "found bytes"),
    "another role": ({"role": "user", "content": "hi"}, "found role 'user'"),
    "an unknown role": ({"role": "judge", "content": "1.0"}, "role 'judge'"),
    "content that is no text": ({"content": ["hi"]}, "content must be text"),
    "calls that are text": ({"tool_calls": "get_visit"}, "tool_calls must be a list"),
    "a call that is a number": ({"tool_calls": [5]}, "found int"),
    "a call without a name": ({"tool_calls": [{"arguments": {}}]}, "needs a name"),
    "json with bad calls": ('{"tool_calls": 5}', "tool_calls must be a list"),
    "json cut short": ('{"tool_calls": [{"name": "get_vis', "JSON is broken"),
    "a lone surrogate": ("hello \ud800", "surrogates not allowed"),
    "a surrogate argument": (with_argument("\udc00"), "surrogates not allowed"),
    "an object": (with_argument(object()), "not JSON serializable"),
    "a key that is no text": ({"tool_calls": [{"name": "get_visit", "arguments": {1: 2}}]}, "key must be str"),
    "an endless number": (with_argument(10**30), "64-bit"),
    "deep nesting": (with_argument(nested(5000)), "Recursion limit"),
    "deep json": (
        '{"tool_calls": [{"name": "get_visit", "arguments": ' + "[" * 900 + "]" * 900 + "}]}",
        "Recursion limit",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_action_comes_back_with_its_reason(desk, name):
    action, reason = MALFORMED[name]
    episode = desk.episode("c1")
    before = episode.messages
    step = episode.step(action)
    assert step.observation.startswith("environment: ")
    assert reason in step.observation
    assert (step.reward, step.terminated, step.truncated) == (0.0, False, False)
    assert (episode.messages[: len(before)], episode.turns, episode.flags) == (before, 1, ("malformed_action",))
    orjson.dumps(rolled_out(episode).to_dict())


WRONG_CALLS: dict[str, tuple[Json, str]] = {
    "an unknown tool": ({"name": "get_visits", "arguments": {}}, "did you mean 'get_visit'?"),
    "no arguments": ({"name": "get_visit"}, "needs the argument 'visit_id'"),
    "arguments that are text": ({"name": "get_visit", "arguments": "V-7011"}, "must be an object, found str"),
    "arguments that are a list": ({"name": "get_visit", "arguments": ["V-7011"]}, "must be an object, found list"),
    "an argument of another type": (
        {"name": "get_visit", "arguments": {"visit_id": 7011}},
        "must be string, found int",
    ),
}


def test_a_malformed_action_reaches_neither_the_customer_nor_the_judge(desk):
    told = '{"tool_calls": 5, "content": "Your visit V-7011 with Dr. Brandt is cancelled, the fee was $19.99."}'
    clumsy, clean = desk.episode("c1", max_turns=2), desk.episode("c1", max_turns=1)
    clumsy.step(told)
    steps = [episode.step("What is your visit's number?") for episode in (clumsy, clean)]
    assert steps[0].observation == steps[1].observation
    assert steps[0].info["score"].to_dict() == steps[1].info["score"].to_dict()


@pytest.mark.parametrize("name", WRONG_CALLS)
def test_a_wrong_call_is_answered_with_its_mistake(desk, name):
    wrong, reason = WRONG_CALLS[name]
    episode = desk.episode("c1")
    step = episode.step({"tool_calls": [wrong]})
    assert reason in step.observation
    assert (episode.answers[0][1].source, episode.messages[-1].is_error, episode.flags) == ("invalid", True, ())


@pytest.mark.parametrize(
    "text", ['{"a": 1}', "{smile}", "[1, 2]", "null", '{"say": "tool_calls"}', "\x00\x1b[31m\u202e!"]
)
def test_any_other_text_is_a_reply_to_the_customer(desk, text):
    episode = desk.episode("c1")
    episode.step(text)
    assert [m.role for m in episode.messages[-2:]] == ["assistant", "user"]
    assert (episode.messages[-2].text, episode.flags) == (text, ())


@pytest.mark.parametrize("piece", ["word ", "a-"])
def test_ten_megabytes_of_text_are_heard_and_scored(desk, piece):
    step = desk.episode("c1", max_turns=1).step(piece * (10_000_000 // len(piece)))
    assert step.truncated
    assert 0.0 <= step.reward < 0.5


def test_a_thousand_calls_are_a_thousand_answers(desk):
    episode = desk.episode("c1")
    episode.step(calls(*[call("get_visit", 1)] * 1000))
    assert (len(episode.answers), episode.turns) == (1000, 1)
    assert {answer.result["status"] for _, answer in episode.answers} == {"booked"}


def test_mistakes_do_not_spoil_the_case(desk):
    episode = desk.episode("c1")
    for action, _ in MALFORMED.values():
        episode.step(action)
    for wrong, _ in WRONG_CALLS.values():
        episode.step({"tool_calls": [wrong]})
    last = [episode.step(action) for action in clinic.ACT][-1]
    assert last.terminated
    assert last.info["score"].success


@pytest.mark.parametrize(
    "message",
    [
        Message("assistant", "  One moment. "),
        Message("assistant", '{"tool_calls": is how I would write it'),
        Message("assistant", None, (ToolCall("get_visit", {"visit_id": "V-é"}, "call_0"),)),
        Message("assistant", "Looking.", (ToolCall("a", {}, "call_0"), ToolCall("b", {"x": [1]}, "call_1"))),
    ],
)
def test_the_text_of_an_action_is_read_as_the_action(message):
    assert read_action(action_text(message)) == replace(message, trainable=True)
