"""Datasets on disk: the gym's split, a file each, and a datasheet."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent_gym.adapters.datasets import Wanted, export
from agent_gym.cli.app import program
from agent_gym.environment import Environment, create_environment
from agent_gym.environment.recorded_agent import ReplayAgent
from agent_gym.environment.rollout import play
from agent_gym.errors import AgentGymError, OptionError
from agent_gym.evaluation.agents import DoNothing
from agent_gym.types import Json
from tests.environment import clinic


@pytest.fixture(scope="module")
def split_desk() -> Environment:
    return create_environment(clinic.traces(), agent="embedded", test_fraction=0.3)


def lines(path: Path) -> list[dict[str, Json]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_every_success_is_in_the_file_of_its_own_split(split_desk, tmp_path):
    written = export(split_desk, "sft", tmp_path, wanted=Wanted())
    for split in ("train", "test"):
        ids = {row["conversation_id"] for row in lines(tmp_path / f"{split}.jsonl")}
        assert ids == {s.conversation_id for s in split_desk.scenarios(split, "succeeded")}
    assert written.rows["train"] == len(lines(tmp_path / "train.jsonl"))
    assert f"| train | {written.rows['train']} |" in (tmp_path / "DATASHEET.md").read_text("utf-8")


def test_openai_rows_pair_every_result_with_its_call(desk, tmp_path):
    export(desk, "openai", tmp_path, wanted=Wanted())
    for row in lines(tmp_path / "train.jsonl"):
        made = [call["id"] for message in row["messages"] for call in message.get("tool_calls", ())]
        told = [message["tool_call_id"] for message in row["messages"] if message["role"] == "tool"]
        assert made == told
        assert all(
            isinstance(c["function"]["arguments"], str) for m in row["messages"] for c in m.get("tool_calls", ())
        )


def test_sharegpt_rows_say_one_thing_at_a_time(desk, tmp_path):
    export(desk, "sharegpt", tmp_path, wanted=Wanted())
    row = next(row for row in lines(tmp_path / "train.jsonl") if row["id"] == "c1")
    spoken = [line["from"] for line in row["conversations"]]
    assert spoken == ["human", "function_call", "observation", "function_call", "observation", "gpt", "human"]


def test_preferences_need_rollouts(desk, tmp_path):
    with pytest.raises(OptionError, match="--run"):
        export(desk, "dpo", tmp_path, wanted=Wanted("all"))
    played = [play(desk.episode("c1", max_turns=4), who) for who in (DoNothing(), ReplayAgent(desk.corpus["c1"]))]
    assert export(desk, "dpo", tmp_path, wanted=Wanted("all"), rollouts=played).rows == {"train": 1}


def test_rollouts_are_kept_by_score_and_by_where_their_answers_come_from(desk, tmp_path):
    good = play(desk.episode("c1"), ReplayAgent(desk.corpus["c1"]))
    bad = play(desk.episode("c2", max_turns=3), DoNothing())
    assert export(desk, "sft", tmp_path, wanted=Wanted(), rollouts=[good, bad]).rows == {"train": 1}
    assert export(desk, "sft", tmp_path, wanted=Wanted("failed"), rollouts=[good, bad]).rows == {"train": 1}
    with pytest.raises(AgentGymError, match="nothing to write"):
        export(desk, "sft", tmp_path, wanted=Wanted(sources=frozenset({"neighbour"})), rollouts=[good])


def test_an_unknown_form_or_source_is_answered_with_the_nearest(desk, tmp_path):
    with pytest.raises(OptionError, match="did you mean 'sft'"):
        export(desk, "sfft", tmp_path, wanted=Wanted())
    with pytest.raises(OptionError, match="did you mean 'recorded'"):
        Wanted(sources=frozenset({"recordet"}))


def test_the_command_writes_the_folder_and_says_so_for_machines(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    asked = ["export", str(log), "--to", "grpo", "-o", str(tmp_path / "out"), "--test-fraction", "0", "--json"]
    told = json.loads(CliRunner().invoke(program(), asked).stdout)
    rows = lines(tmp_path / "out" / "train.jsonl")
    assert told["rows"] == {"train": len(rows)} and rows[0]["prompt"][-1]["case"]["conversation_id"]


def test_the_command_names_every_form_it_knows(tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(trace) + "\n" for trace in clinic.traces()), "utf-8")
    done = CliRunner().invoke(program(), ["export", str(log), "--to", "verifier", "-o", str(tmp_path / "out")])
    assert isinstance(done.exception, OptionError) and "did you mean 'verifiers'" in str(done.exception)
