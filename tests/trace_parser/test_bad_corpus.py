"""The corpus of malformed files: no traceback, every good conversation, little memory, no terminal escapes."""

import multiprocessing
from pathlib import Path

import pytest

from agent_gym.trace_parser import Reading, Reject, read_source
from agent_gym.types import Trace
from tests.trace_parser.bad_corpus import corpus, large

CASES = {name: (raw, ids) for name, raw, ids in corpus()}


def read(path: Path) -> tuple[list[str], list[Reject], Reading]:
    reading = Reading()
    items = list(read_source(path, reading=reading))
    ids = [item.conversation_id for item in items if isinstance(item, Trace)]
    return ids, [item for item in items if isinstance(item, Reject)], reading


def test_the_corpus_is_large():
    assert len(CASES) >= 80


@pytest.mark.parametrize("name", CASES)
def test_the_good_conversations_of_a_bad_file_are_imported(tmp_path, name):
    raw, ids = CASES[name]
    (tmp_path / "calls").write_bytes(raw)
    found, rejects, reading = read(tmp_path / "calls")
    assert sorted(found) == sorted(ids)
    assert reading.read == reading.accepted + reading.rejected
    assert found or rejects


@pytest.mark.parametrize("name", CASES)
def test_every_reject_has_a_place_a_reason_and_a_fix_and_no_escapes(tmp_path, name):
    (tmp_path / "calls").write_bytes(CASES[name][0])
    for reject in read(tmp_path / "calls")[1]:
        assert reject.source and reject.reason and len(reject.fix) > 10
        assert (reject.reason + reject.fix + reject.record).replace("\n", "").isprintable()


def weighed(path: Path) -> tuple[list[str], float]:
    ids = read(path)[0]
    return ids, peak_megabytes()


def peak_megabytes() -> float:
    """The most memory of this process; `ru_maxrss` would count that of the process which started it."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_bombs_and_endless_lines_stay_under_512_mb(tmp_path):
    path = tmp_path / "calls"
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for _, raw, ids in large():
            path.write_bytes(raw)
            found, megabytes = pool.apply(weighed, (path,))
            assert sorted(found) == sorted(ids)
            assert megabytes < 512
