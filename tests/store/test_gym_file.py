"""The gym file: what goes in comes out, and nothing else is opened."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_gym.errors import GymFileError
from agent_gym.store import GymFile, is_gym_file, writing
from agent_gym.types import Message, ToolCall, Trace
from tests.store.gyms import change, trace, written, written_long_ago

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


def test_what_goes_in_comes_out_to_the_last_digit(tmp_path: Path):
    file = written(tmp_path / "x.gym", [ODD, trace("b")], {"options": {"seed": 2**70}}, test=ODD.conversation_id)
    assert list(file.traces()) == [(ODD, "test"), (trace("b"), "train")]
    assert (file.trace("odd ✓"), file.trace("none")) == (ODD, None)
    assert GymFile.open(tmp_path / "x.gym").sections["options"] == {"seed": 2**70}


def test_many_traces_come_out_in_the_order_they_went_in(tmp_path: Path):
    traces = [trace(f"t{at}") for at in range(150)]
    assert [found for found, _ in written(tmp_path / "x.gym", traces).traces()] == traces


def test_the_digest_tells_contents_apart_and_nothing_else(tmp_path: Path):
    one, again = (written(tmp_path / name, [trace("a")]) for name in ("1.gym", "2.gym"))
    other = written(tmp_path / "3.gym", [trace("a")], test="a")
    assert one.content_digest == again.content_digest != other.content_digest


def test_a_failed_build_leaves_the_old_file_and_nothing_else(tmp_path: Path):
    class Broken(list[Trace]):
        def __iter__(self) -> Iterator[Trace]:
            yield trace("a")
            raise KeyboardInterrupt

    old = written(tmp_path / "x.gym", [trace("old")])
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path / "x.gym", Broken())
    assert [path.name for path in tmp_path.iterdir()] == ["x.gym"]
    assert GymFile.open(tmp_path / "x.gym").content_digest == old.content_digest


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path):
    def written_until_full() -> None:
        with writing(tmp_path / "x.gym") as writer:
            writer._database.execute("PRAGMA max_page_count = 40")
            writer.traces([trace(f"{at}" * 400) for at in range(2000)], lambda _: "train")

    with pytest.raises(GymFileError, match=r"cannot be written: .*full"):
        written_until_full()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_gym_file_is_refused_by_name(tmp_path: Path):
    (tmp_path / "log.jsonl").write_text("{}")
    with pytest.raises(GymFileError, match=r"log\.jsonl: it is not a gym file .*agent-gym build"):
        GymFile.open(tmp_path / "log.jsonl")
    with pytest.raises(GymFileError, match="there is no such file"):
        GymFile.open(tmp_path / "none.gym")
    assert not is_gym_file(tmp_path / "none.gym")


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
    written(tmp_path / "x.gym", [trace("a")])
    change(tmp_path / "x.gym", statement)
    with pytest.raises(GymFileError, match=reason):
        GymFile.open(tmp_path / "x.gym")


@pytest.mark.parametrize("body", ["x'00'", "x'789c4b040000620062'", "zeroblob(0)"])
def test_a_broken_trace_is_an_error_with_the_path(tmp_path: Path, body: str):
    written(tmp_path / "x.gym", [trace("a")])
    change(tmp_path / "x.gym", f"UPDATE traces SET body = {body}")
    with pytest.raises(GymFileError, match=r"x\.gym: it is damaged"):
        list(GymFile.open(tmp_path / "x.gym").traces())


def test_a_torn_file_is_an_error_with_the_path(tmp_path: Path):
    written(tmp_path / "x.gym", [trace(f"t{i}") for i in range(500)])
    whole = (tmp_path / "x.gym").read_bytes()
    (tmp_path / "x.gym").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(GymFileError, match=r"x\.gym: it is damaged"):
        list(GymFile.open(tmp_path / "x.gym").traces())


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path):
    with pytest.raises(GymFileError, match="its folder does not exist"):
        written(tmp_path / "no" / "x.gym", [])


def test_a_report_is_kept_beside_the_content_and_changes_nothing_of_it(tmp_path):
    gym = written(tmp_path / "a.gym", [trace("a")])
    assert gym.report("fidelity") is None
    gym.keep("fidelity", {"exact": 0.5})
    gym.keep("fidelity", {"exact": 0.75})
    again = GymFile.open(gym.path)
    assert gym.report("fidelity") == again.report("fidelity") == {"exact": 0.75}
    assert again.content_digest == gym.content_digest and list(again.traces()) == list(gym.traces())


@pytest.mark.parametrize("version", [1, 2])
def test_a_gym_of_an_older_version_still_opens_and_takes_a_report(tmp_path, version):
    old = GymFile.open(written_long_ago(tmp_path / "a.gym", version, [trace("a")], {}))
    assert old.report("fidelity") is None and old.parts is None and list(old.traces()) == [(trace("a"), "train")]
    old.keep("fidelity", {"exact": 1.0})
    assert GymFile.open(tmp_path / "a.gym").report("fidelity") == {"exact": 1.0}


def test_a_report_for_a_gym_that_cannot_be_written_is_a_clear_error(tmp_path):
    gym = written(tmp_path / "a.gym", [trace("a")])
    gym.path.unlink()
    gym.path.mkdir()
    with pytest.raises(GymFileError, match="cannot be kept"):
        gym.keep("fidelity", {})


def test_a_gym_in_use_is_not_disturbed_by_another_that_takes_its_place(tmp_path):
    gym = written(tmp_path / "a.gym", [trace("a")])
    assert gym.trace("a") == trace("a")
    written(tmp_path / "a.gym", [trace("b")])
    assert (gym.trace("a"), gym.trace("b")) == (trace("a"), None)


def test_opening_changes_nothing_of_the_file(tmp_path):
    path = written(tmp_path / "a.gym", [trace("a")]).path
    before = path.read_bytes()
    path.chmod(0o444)
    assert GymFile.open(path).trace("a") == trace("a") and path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["a.gym"]
