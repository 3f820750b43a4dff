"""`convert`: both files or neither, every record counted, and nothing personal where it was asked for."""

import os
import sys
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from agent_gym.cli.app import program
from agent_gym.errors import RedactionError
from agent_gym.trace_parser import read_traces

RECORD = {
    "conversation_id": "a",
    "messages": [
        {"role": "user", "content": "I'm Petra Vossberg, petra@mail.test"},
        {"role": "assistant", "content": "Thank you."},
    ],
}
BAD = b'{"conversation_id": "b", "messages": "Petra Vossberg"}\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_bytes(orjson.dumps(RECORD) + b"\n" + BAD)
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(program(), ["convert", *map(str, words)])


def test_records_are_counted_and_rejects_keep_their_place_reason_and_fix(log: Path, tmp_path: Path):
    done = run(log, "-o", tmp_path / "out.jsonl", "--json")
    told = orjson.loads(done.stdout)
    assert done.exit_code == 0 and told["read"] == told["accepted"] + told["rejected"] == 2
    assert told["conversations"] == 1 and told["rejects"] == str(tmp_path / "out.rejects.jsonl")
    reject = orjson.loads((tmp_path / "out.rejects.jsonl").read_bytes())
    assert (reject["source"], reject["line"]) == (str(log), 2) and reject["reason"] and "Vossberg" in reject["record"]


def test_what_was_converted_reads_back_the_same(log: Path, tmp_path: Path):
    run(log, "-o", tmp_path / "out.jsonl")
    again = run(tmp_path / "out.jsonl", "-o", tmp_path / "again.jsonl", "--json")
    assert orjson.loads(again.stdout)["formats"] == {"trace_schema": 1}
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def test_redacted_output_names_nobody_not_even_in_the_rejects(log: Path, tmp_path: Path):
    done = run(log, "-o", tmp_path / "out.jsonl", "--redact", "--json")
    written = b"".join(path.read_bytes() for path in tmp_path.glob("out*")).lower()
    assert done.exit_code == 0 and b"petra" not in written and b"vossberg" not in written
    assert orjson.loads(done.stdout)["redacted"]["email"] == {"values": 1, "times": 1}


def test_neither_key_nor_map_is_in_the_output(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AGENT_GYM_REDACT_KEY", "a-very-secret-key")
    first = run(log, "-o", tmp_path / "one.jsonl", "--redact")
    run(log, "-o", tmp_path / "two.jsonl", "--redact")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert "a-very-secret-key" not in first.output + (tmp_path / "one.jsonl").read_text()


def test_a_key_file_gives_the_same_stand_ins_again(log: Path, tmp_path: Path):
    (tmp_path / "key").write_text("k1")
    for name in ("one", "two"):
        run(log, "-o", tmp_path / f"{name}.jsonl", "--redact", "--redact-key-file", tmp_path / "key")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_several_processes_write_the_same_bytes_as_one(tmp_path: Path):
    traces = [{**RECORD, "conversation_id": f"c{n}"} for n in range(70)]
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(map(orjson.dumps, traces)))
    (tmp_path / "key").write_text("k1")
    for workers in (1, 2):
        out = tmp_path / f"{workers}.jsonl"
        run(tmp_path / "log.jsonl", "-o", out, "--redact", "--redact-key-file", tmp_path / "key", "--workers", workers)
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    assert len(read_traces(tmp_path / "2.jsonl")) == 70


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt(), 130), (RedactionError("a name is left"), 1)])
def test_what_stops_it_leaves_nothing_half_made(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: BaseException, code: int
):
    def stopped(*_: object) -> None:
        raise stop

    monkeypatch.setattr("agent_gym.trace_parser.convert._check", stopped)
    (tmp_path / "out.jsonl").write_text("from before")
    done = run(log, "-o", tmp_path / "out.jsonl")
    assert done.exit_code == code and "written" in done.stderr
    assert (
        sorted(os.listdir(tmp_path)) == ["log.jsonl", "out.jsonl"]
        and (tmp_path / "out.jsonl").read_text() == "from before"
    )


def test_a_value_that_slips_through_stops_the_command(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("agent_gym.trace_parser.redact.redactor.Redactor.trace", lambda _, trace: trace)
    done = run(log, "-o", tmp_path / "out.jsonl", "--redact")
    assert done.exit_code == 1 and "email" in done.stderr and "petra" not in done.output.lower()
    assert not (tmp_path / "out.jsonl").exists()


def test_a_file_without_any_conversation_is_bad_input(tmp_path: Path):
    (tmp_path / "log.jsonl").write_bytes(BAD)
    done = run(tmp_path / "log.jsonl", "-o", tmp_path / "out.jsonl", "--json")
    assert done.exit_code == 3 and orjson.loads(done.stdout)["rejected"] == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--format", "openai_chatt"),
        ("--scale", "five"),
        ("--scale", "5..1"),
        ("--roles", "DOCTOR"),
        ("--workers", "0"),
        ("--redact-names", "presidio"),
        ("--redact-names", "nobody"),
        ("--labels", "nowhere.csv"),
    ],
)
def test_a_wrong_option_is_a_usage_error(log: Path, tmp_path: Path, options: tuple[str, str]):
    assert run(log, "-o", tmp_path / "out.jsonl", *options).exit_code == 2


def test_a_near_miss_of_a_format_is_told(log: Path, tmp_path: Path):
    done = run(log, "-o", tmp_path / "out.jsonl", "--format", "openai_chatt")
    assert "did you mean openai_chat?" in " ".join(done.output.replace("│", " ").split())


@pytest.mark.parametrize("name", ["log.jsonl", "", "nowhere/out.jsonl"])
def test_an_output_that_cannot_be_is_refused_before_anything_is_read(log: Path, tmp_path: Path, name: str):
    assert run(log, "-o", tmp_path / name).exit_code == 2 and log.read_bytes().endswith(BAD)


def test_presidio_that_is_not_installed_is_said_so(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    done = run(log, "-o", tmp_path / "out.jsonl", "--redact", "--redact-names", "presidio")
    assert "pip install presidio-analyzer" in str(done.exception)


def test_ratings_and_roles_reach_the_reader(tmp_path: Path):
    (tmp_path / "log.txt").write_text("DOCTOR: Hello.\nPATIENT: It hurts.\nDOCTOR: Where?\nPATIENT: Here.\n")
    done = run(tmp_path / "log.txt", "-o", tmp_path / "out.jsonl", "--roles", "DOCTOR=assistant,PATIENT=user")
    assert done.exit_code == 0, done.output
    roles = [message.role for message in read_traces(tmp_path / "out.jsonl")[0].messages]
    assert roles == ["assistant", "user", "assistant", "user"]
