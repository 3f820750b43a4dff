"""The rows for SkyRL: every case that can be scored, with the gym that plays it beside them."""

import json

import agent_gym
from agent_gym.adapters.skyrl import export_skyrl
from agent_gym.environment.written_calls import written_action


def test_every_scorable_case_is_a_row_that_names_its_gym(desk, tmp_path):
    written = export_skyrl(desk, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "train.jsonl").read_text("utf-8").splitlines()]
    cases = [row["extra_info"] for row in rows]
    assert {case["conversation_id"] for case in cases} == {s.conversation_id for s in desk.scenarios() if s.scorable}
    assert written.rows == {"train": len(rows)} and {row["env_class"] for row in rows} == {"agent_gym"}
    assert agent_gym.load(cases[0]["gym"]).episode(cases[0]["conversation_id"]).tools


def test_the_system_message_tells_how_to_call_the_tools(desk, tmp_path):
    export_skyrl(desk, tmp_path)
    row = json.loads((tmp_path / "train.jsonl").read_text("utf-8").splitlines()[0])
    assert row["prompt"][0]["role"] == "system" and row["prompt"][-1]["role"] == "user"
    assert '"get_visit"' in row["prompt"][0]["content"] and "<tool_call>" in row["prompt"][0]["content"]


def test_written_calls_are_actions_and_reasoning_is_not_heard():
    assert written_action("<think>Hm.</think> Hello. ") == {"content": "Hello."}
    call = '{"name": "a", "arguments": {}}'
    assert json.loads(written_action(f"<tool_call>\n{call}\n</tool_call>"))["tool_calls"] == [json.loads(call)]
