"""Shelves of a gym file: every key finds its value, and a damaged block is an error that names the file."""

from pathlib import Path

import pytest

from agent_gym.errors import GymFileError
from agent_gym.keeping import Codec, KeptMapping, entries_of
from agent_gym.store import GymFile, writing
from tests.store.gyms import change

PLAIN = Codec(())
WORDS = {f"{at * 7919 % 5000} née \ud800": {"at": [at, "x" * (at % 40)]} for at in range(5000)}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("gyms") / "x.gym"
    with writing(found) as writer:
        writer.shelf("words", entries_of(WORDS, PLAIN, PLAIN))
        writer.shelf("none", [])
        writer.section("one", {"a": 1})
    return found


def shelf(path: Path, name: str = "words") -> KeptMapping[str, object]:
    parts = GymFile.open(path).parts
    assert parts is not None
    return KeptMapping(parts.shelf(name), PLAIN, PLAIN)


def test_every_key_finds_its_value_and_no_other_does(path):
    kept = shelf(path)
    assert all(kept[key] == value for key, value in WORDS.items())
    assert "never" not in kept and kept.get("") is None and len(kept) == len(WORDS)


def test_going_through_it_is_in_the_order_it_was_written(path):
    assert dict(shelf(path)) == WORDS and list(shelf(path)) == list(WORDS)


def test_an_empty_shelf_is_empty(path):
    assert dict(shelf(path, "none")) == {} and shelf(path, "none").get("x") is None


def test_what_is_not_there_is_a_key_error(path):
    parts = GymFile.open(path).parts
    assert parts is not None and parts.section("one") == {"a": 1}
    with pytest.raises(KeyError):
        parts.section("two")
    with pytest.raises(KeyError):
        parts.shelf("two")


# The last is 300 MB of zeros in 300 kB.
@pytest.mark.parametrize("body", ["x'00'", "zeroblob(9)", "x'789c8b8e0500011f009f'", "bomb"])
def test_a_damaged_block_is_an_error_with_the_path(path, tmp_path, body, monkeypatch):
    copy = tmp_path / "y.gym"
    copy.write_bytes(path.read_bytes())
    if body == "bomb":
        monkeypatch.setattr("agent_gym.store.packing.MOST_UNPACKED", 1000)
        body = "body"
    change(copy, f"UPDATE blocks SET body = {body}")
    with pytest.raises(GymFileError, match=r"y\.gym: it is damaged"):
        dict(shelf(copy))
