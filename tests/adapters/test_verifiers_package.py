"""The package for verifiers, as far as it goes without verifiers: what is written, and what plays behind it."""

import ast
import tomllib
from pathlib import Path

import agent_gym
from agent_gym.adapters.verifiers import Tools, export_verifiers, follow, openers, replay, report
from agent_gym.adapters.verifiers.export import package_name
from agent_gym.environment import create_environment
from agent_gym.types import Json
from tests.environment import clinic


def call(name: str, arguments: str) -> dict[str, Json]:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "x", "name": name, "arguments": arguments}]}


def test_the_package_is_whole_and_holds_the_gym(desk, tmp_path):
    written = export_verifiers(desk, tmp_path / "my clinic")
    module = tmp_path / "my clinic" / "my_clinic_gym"
    trees = {path.name: ast.parse(path.read_text("utf-8")) for path in module.glob("*.py")}
    assert set(trees) >= {"__init__.py", "taskset.py", "tools.py", "environment.py", "harness.py"}
    project = tomllib.loads((tmp_path / "my clinic" / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == "my-clinic-gym" and written.files == ("pyproject.toml", "my_clinic_gym")
    assert len(agent_gym.load(module / "conversations.gym").corpus) == len(desk.corpus)


def test_a_package_never_takes_the_name_of_a_framework():
    folders = ["verifiers", "support-gym", "2026 logs", "…"]
    assert [package_name(Path(folder)) for folder in folders] == [
        "verifiers-gym", "support-gym", "cases-2026-logs-gym", "cases-gym",
    ]  # fmt: skip


def test_tools_answer_as_the_episode_does_knowing_only_the_calls(desk):
    tools, calls = Tools(desk, "c1", 0), [clinic.call("get_visit", 1), clinic.call("cancel_visit", 1)]
    assert not tools.answer(calls).is_error
    assert '"cancelled"' in tools.answer([*calls, clinic.call("get_visit", 1)]).text
    assert '"booked"' in tools.answer(calls[:1]).text


def test_a_hand_over_is_known_to_end_the_conversation(desk):
    assert Tools(desk, "h3", 0).answer([clinic.call("transfer_to_human_agent", 3)]).over
    assert not Tools(desk, "h3", 0).answer([clinic.call("get_visit", 3)]).over


def test_the_model_hears_the_customer_until_the_conversation_is_over(desk):
    episode = desk.episode("c1")
    assert openers(episode)[-1]["role"] == "user"
    heard = follow(episode, [{"role": "assistant", "content": "Which visit?", "tool_calls": None}])
    assert heard == episode.messages[-1].text
    key = '{"visit_id": "V-7011"}'
    done = {"role": "assistant", "content": "Your visit V-7011 is cancelled. Anything else?"}
    assert follow(episode, [call("get_visit", key), call("cancel_visit", key), done]) is None
    assert episode.ending == "customer_left"


def test_arguments_that_are_no_json_are_the_models_mistake(desk):
    rollout = replay(desk, "c1", 0, 5, [call("get_visit", '{"visit_id": ')])
    ((_, answer),) = rollout.answers
    assert answer.is_error and report(rollout)["success"] == 0.0 and not rollout.masked


def test_names_that_services_refuse_are_spelled_otherwise_and_understood():
    traces = [clinic.cancelled(i) for i in range(4)]
    for message in (message for trace in traces for message in trace["messages"]):
        for named in (*message.get("tool_calls", ()), *([message] if "name" in message else ())):
            named["name"] = named["name"].replace("_", ".")
    tools = Tools(create_environment(traces, agent="embedded"), "c1", 0)
    assert {tool["name"] for tool in tools.listed()} == {"get_visit", "cancel_visit"}
    assert (
        tools.answer([clinic.call("get_visit", 1)]).text
        == Tools(tools.environment, "c1", 0).answer([clinic.call("get.visit", 1)]).text
    )
