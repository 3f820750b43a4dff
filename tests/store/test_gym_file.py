"""The gym file: what goes in comes out, and nothing else is opened."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent_gym.errors import GymFileError
from agent_gym.store import GymFile, is_gym_file, write_gym
from agent_gym.types import Message, ToolCall, Trace

ODD = Trace(
    "odd ✓",
    (
        Message("user", "2**70 and half a pair: \ud800"),
        Message("assistant", tool_calls=(ToolCall("look", {"b": 1, "a": 0.1 + 0.2, "n": 2**70}, "c"),)),
        Message("tool", name="look", tool_call_id="c", result='{"json": "in a string"}', is_error=True),
    ),
    outcome="resolved",
    metadata={"task_id": 7},
)


def trace(name: str) -> Trace:
    return Trace(name, (Message("user", "hi"), Message("assistant", f"hello {name}")))


def test_what_goes_in_comes_out_to_the_last_digit(tmp_path: Path):
    file = write_gym(tmp_path / "x.gym", [(ODD, "test"), (trace("b"), "train")], {"options": {"seed": 2**70}})
    assert list(file.traces()) == [(ODD, "test"), (trace("b"), "train")]
    assert GymFile.open(tmp_path / "x.gym").sections["options"] == {"seed": 2**70}


def test_the_digest_tells_contents_apart_and_nothing_else(tmp_path: Path):
    one, again = (write_gym(tmp_path / name, [(trace("a"), "train")], {"o": 1}) for name in ("1.gym", "2.gym"))
    other = write_gym(tmp_path / "3.gym", [(trace("a"), "test")], {"o": 1})
    assert one.content_digest == again.content_digest != other.content_digest


def test_a_failed_build_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    def broken() -> Iterator[tuple[Trace, str]]:
        yield trace("a"), "train"
        raise KeyboardInterrupt

    old = write_gym(tmp_path / "x.gym", [(trace("old"), "train")], {})
    with pytest.raises(KeyboardInterrupt):
        write_gym(tmp_path / "x.gym", broken(), {})
    assert [path.name for path in tmp_path.iterdir()] == ["x.gym"]
    assert GymFile.open(tmp_path / "x.gym").content_digest == old.content_digest


def test_what_is_no_gym_file_is_refused_by_name(tmp_path: Path):
    (tmp_path / "log.jsonl").write_text("{}")
    with pytest.raises(GymFileError, match=r"log\.jsonl: it is not a gym file .*agent-gym build"):
        GymFile.open(tmp_path / "log.jsonl")
    with pytest.raises(GymFileError, match="there is no such file"):
        GymFile.open(tmp_path / "none.gym")
    assert not is_gym_file(tmp_path / "none.gym")


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("PRAGMA application_id = 1", "a database of another program"),
        ("PRAGMA user_version = 99", "newer than this program's"),
        ("CREATE TABLE more (x)", "its tables are not those of a gym: more"),
        ("CREATE TRIGGER t AFTER INSERT ON traces BEGIN SELECT 1; END", "not those of a gym: t"),
        ("DROP TABLE sections", "not those of a gym: sections"),
        ("UPDATE sections SET body = '{'", "no JSON"),
    ],
)
def test_a_file_that_was_tampered_with_is_refused(tmp_path: Path, statement: str, reason: str):
    write_gym(tmp_path / "x.gym", [(trace("a"), "train")], {})
    change(tmp_path / "x.gym", statement)
    with pytest.raises(GymFileError, match=reason):
        GymFile.open(tmp_path / "x.gym")


@pytest.mark.parametrize("body", ["x'00'", "x'789c4b040000620062'", "zeroblob(0)"])
def test_a_broken_trace_is_an_error_with_the_path(tmp_path: Path, body: str):
    write_gym(tmp_path / "x.gym", [(trace("a"), "train")], {})
    change(tmp_path / "x.gym", f"UPDATE traces SET body = {body}")
    with pytest.raises(GymFileError, match=r"x\.gym: it is damaged"):
        list(GymFile.open(tmp_path / "x.gym").traces())


def test_a_torn_file_is_an_error_with_the_path(tmp_path: Path):
    write_gym(tmp_path / "x.gym", [(trace(f"t{i}"), "train") for i in range(500)], {})
    whole = (tmp_path / "x.gym").read_bytes()
    (tmp_path / "x.gym").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GymFileError, match=r"x\.gym: it is damaged"):
        list(GymFile.open(tmp_path / "x.gym").traces())


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path):
    with pytest.raises(GymFileError, match="its folder does not exist"):
        write_gym(tmp_path / "no" / "x.gym", [], {})


def test_a_report_is_kept_beside_the_content_and_changes_nothing_of_it(tmp_path):
    gym = write_gym(tmp_path / "a.gym", [(trace("a"), "train")], {"options": {}})
    assert gym.report("fidelity") is None
    gym.keep("fidelity", {"exact": 0.5})
    gym.keep("fidelity", {"exact": 0.75})
    again = GymFile.open(gym.path)
    assert again.report("fidelity") == {"exact": 0.75} and again.content_digest == gym.content_digest


def test_a_gym_of_the_first_version_still_opens_and_is_brought_up_to_date_by_a_report(tmp_path):
    path = write_gym(tmp_path / "a.gym", [(trace("a"), "train")], {"options": {}}).path
    with closing(sqlite3.connect(path)) as database:
        database.executescript("DROP TABLE reports; PRAGMA user_version = 1;")
    old = GymFile.open(path)
    assert old.report("fidelity") is None and list(old.traces()) == [(trace("a"), "train")]
    old.keep("fidelity", {"exact": 1.0})
    assert GymFile.open(path).report("fidelity") == {"exact": 1.0}


def test_a_report_for_a_gym_that_cannot_be_written_is_a_clear_error(tmp_path):
    gym = write_gym(tmp_path / "a.gym", [(trace("a"), "train")], {"options": {}})
    gym.path.unlink()
    gym.path.mkdir()
    with pytest.raises(GymFileError, match="cannot be kept"):
        gym.keep("fidelity", {})
