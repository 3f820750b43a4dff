"""`inspect`: what a log holds, in words and as JSON, and never what a terminal would obey."""

from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli.app import program
from tests.environment import clinic

EVIL = "\x1b]0;owned\x07\x1b[31m\u202e\x9b31m[bold]"


def run(*words: object) -> Result:
    return CliRunner().invoke(program(), ["inspect", *map(str, words)])


def write(path: Path, *records: object) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return path


def evil(tmp_path: Path) -> Path:
    call = {"id": "1", "name": f"tool{EVIL}", "arguments": {}}
    messages = [{"role": "user", "content": EVIL}, {"role": "assistant", "tool_calls": [call]}]
    record = {"conversation_id": f"c{EVIL}", "messages": messages, "outcome": f"won{EVIL}"}
    return write(tmp_path / "evil.jsonl", record, {"conversation_id": f"d{EVIL}", "messages": []}, {EVIL: 1})


def test_it_says_what_a_log_holds(tmp_path: Path):
    done = run(write(tmp_path / "clinic.jsonl", *clinic.traces()))
    assert done.exit_code == 0
    for word in ("conversations", "trace_schema", "Tools", "get_visit", "outcomes", "languages"):
        assert word in done.stdout


def test_json_says_the_same(tmp_path: Path):
    told = orjson.loads(run(write(tmp_path / "clinic.jsonl", *clinic.traces()), "--json").stdout)
    assert told["conversations"] == told["read"] == len(clinic.traces()) and told["rejected"] == 0
    assert told["messages"] == sum(told["roles"].values()) and "en" in told["languages"]
    assert all(tool["error_rate"] == tool["errors"] / tool["calls"] for tool in told["tools"].values())


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_nothing_that_a_terminal_obeys_reaches_it(tmp_path: Path, form: tuple[str, ...]):
    done = run(evil(tmp_path), *form)
    raw = [c for c in done.output if not c.isprintable() and c != "\n"]
    assert raw == [] and "owned" in done.output


def test_rejects_are_grouped_by_cause_with_a_place_and_a_fix(tmp_path: Path):
    good, bad = clinic.traces()[0], [{"conversation_id": f"x{n}", "messages": "no list"} for n in range(5)]
    told = orjson.loads(run(write(tmp_path / "log.jsonl", good, *bad), "--json").stdout)
    problem = next(p for p in told["problems"] if p["count"] == 5)
    assert problem["where"].endswith("log.jsonl:2") and problem["fix"] and told["rejected"] == 5


def test_a_gym_file_can_be_looked_at(tmp_path: Path):
    log = write(tmp_path / "clinic.jsonl", *clinic.traces())
    CliRunner().invoke(program(), ["build", str(log), "-o", str(tmp_path / "x.gym")])
    told = orjson.loads(run(tmp_path / "x.gym", "--json").stdout)
    assert told["formats"] == {"gym": len(clinic.traces())} and told["tools"]
    assert told["gyms"][0]["manifest"]["sources"][0]["path"] == str(log) and told["gyms"][0]["packed_bytes"]["traces"]
    assert "What x.gym says of itself" in run(tmp_path / "x.gym").stdout


def test_a_log_without_a_conversation_is_bad_input(tmp_path: Path):
    done = run(write(tmp_path / "log.jsonl", {"conversation_id": "x", "messages": "no list"}))
    assert done.exit_code == 3 and "1 rejected" in done.stdout
