"""The data files: what the generator writes, in three formats that real systems export."""

import csv
import json
from pathlib import Path

import pytest

from agent_gym.sample import POLICY, TOOLS, write_files
from agent_gym.types import Json, Trace

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sample")
    write_files(path)
    return Path(path)


def records(path: Path) -> list[dict[str, Json]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_files_in_data_are_what_the_generator_writes(folder):
    written = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    kept = sorted(p.relative_to(DATA) for name in ("raw", "processed") for p in (DATA / name).iterdir())
    assert kept == written
    assert all((DATA / name).read_bytes() == (folder / name).read_bytes() for name in written)


def test_all_files_together_stay_under_4_megabytes(folder):
    assert sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) < 4_000_000


def test_the_processed_log_is_in_the_trace_schema(folder):
    lines = records(folder / "processed" / "conversations.jsonl")
    assert len(lines) >= 600
    assert all(Trace.of(line).to_dict() == line for line in lines)


def test_policy_and_tools_lie_beside_the_log(folder):
    assert (folder / "processed" / "policy.md").read_text("utf-8") == POLICY
    assert json.loads((folder / "processed" / "tools.json").read_text("utf-8")) == list(TOOLS)


def test_openai_arguments_are_strings_and_every_result_has_its_call(folder):
    for line in records(folder / "raw" / "openai_chat.jsonl"):
        calls = [call for m in line["messages"] for call in m.get("tool_calls", ())]
        assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in calls)
        results = [m["tool_call_id"] for m in line["messages"] if m["role"] == "tool"]
        assert results == [call["id"] for call in calls]
        assert line["messages"][0]["role"] == "system"


def test_anthropic_turns_begin_with_the_user_and_answer_every_tool_use(folder):
    for line in records(folder / "raw" / "anthropic_messages.jsonl"):
        assert line["messages"][0]["role"] == "user"
        blocks = [b for m in line["messages"] if isinstance(m["content"], list) for b in m["content"]]
        used = [b["id"] for b in blocks if b["type"] == "tool_use"]
        assert used == [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]


def test_the_help_desk_export_has_ratings_but_no_tools(folder):
    with (folder / "raw" / "helpdesk.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["author_role"] for row in rows} == {"agent", "customer"}
    assert {row["rating"] for row in rows} == {"", "1", "2", "3", "4", "5"}
    assert len({row["ticket_id"] for row in rows}) == 120


def test_the_exports_hold_other_customers_than_the_log(folder):
    logged = {line["metadata"]["customer_id"] for line in records(folder / "processed" / "conversations.jsonl")}
    openai = {line["metadata"]["customer_id"] for line in records(folder / "raw" / "openai_chat.jsonl")}
    anthropic = {line["metadata"]["user_id"] for line in records(folder / "raw" / "anthropic_messages.jsonl")}
    assert len(logged | openai | anthropic) == len(logged) + len(openai) + len(anthropic)
