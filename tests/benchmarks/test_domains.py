"""A small shop as a domain: what is asked of a world mined from one conversation a case, and how it is counted."""

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from agent_gym.types import Json
from benchmarks import domains
from benchmarks.attempts import Answered, Domain, measure
from benchmarks.coherence import Told
from benchmarks.domains import coherence, figures, labels, rates

Made = tuple[str, str, Json]  # a tool, an order, the answer
CASES, ATTEMPTS = 6, 3


def order(case: int, status: str = "open") -> Json:
    return {"order_id": f"O-{case}7", "status": status, "total": 10 + case}


def looked(case: int, status: str = "open") -> Made:
    return "get_order", f"O-{case}7", order(case, status)


def cancelled(case: int) -> Made:
    return "cancel_order", f"O-{case}7", order(case, "cancelled")


def conversation(case: int, attempt: int, *made: Made) -> Json:
    messages: list[Json] = [{"role": "user", "content": f"Please cancel order O-{case}7"}]
    for at, (name, order_id, result) in enumerate(made):
        call = {"id": f"k{at}", "name": name, "arguments": {"order_id": order_id}}
        messages += [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"k{at}", "name": name, "result": json.dumps(result)},
        ]
    return {"conversation_id": f"c{case}-{attempt}", "messages": messages, "metadata": {"task_id": case}}


def is_log(case: int, attempt: int) -> bool:
    hashes = [hashlib.sha256(f"c{case}-{n}".encode()).hexdigest() for n in range(ATTEMPTS)]
    return hashes[attempt] == min(hashes)


def written(folder: Path, traces: list[Json]) -> Path:
    with gzip.open(folder / "shop.jsonl.gz", "wt") as lines:
        lines.write("\n".join(map(json.dumps, traces)))
    (folder / "shop.writes.json").write_text('["cancel_order"]')
    return folder


def shop(folder: Path, others: dict[int, tuple[Made, ...]] | None = None) -> Path:
    """Each log looks, cancels and looks again; so do the other attempts, except those at the cases given."""
    traces = []
    for case in range(CASES):
        usual = (looked(case), cancelled(case), looked(case, "cancelled"))
        for attempt in range(ATTEMPTS):
            made = usual if is_log(case, attempt) else (others or {}).get(case, usual)
            traces.append(conversation(case, attempt, *made))
    return written(folder, traces)


def played(folder: Path) -> Domain:
    domain = measure(folder, "shop")
    assert domain is not None
    return domain


def test_one_conversation_a_case_is_the_log_and_the_others_are_asked(tmp_path: Path):
    domain = played(shop(tmp_path, {0: (looked(0),)}))
    assert domain.log_calls == 3 * CASES  # the shorter attempts at the first case are not among them
    assert [[len(talk) for talk in talks] for talks in domain.cases.values()] == [[1, 1], *[[3, 3]] * 5]


def test_the_session_knows_what_it_wrote_and_the_cassette_does_not(tmp_path: Path):
    (talk, _), *_ = played(shop(tmp_path)).cases.values()
    assert [row.exact for row in talk] == [True, True, True]
    assert [row.cassette for row in talk] == [True, True, False]
    assert [row.read_after_write for row in talk] == [False, False, True]


def test_a_second_write_is_no_read(tmp_path: Path):
    (talk, _), *_ = played(shop(tmp_path, {0: (cancelled(0), cancelled(0), looked(0, "cancelled"))})).cases.values()
    assert [row.read_after_write for row in talk] == [False, False, True]


def test_an_attempt_is_played_in_the_state_of_its_own_case(tmp_path: Path):
    made = [(case, n, ("get_queue", "O-7", {"waiting": case + 40})) for case in range(CASES) for n in range(ATTEMPTS)]
    domain = played(written(tmp_path, [conversation(*one) for one in made]))
    assert all(row.exact for row in domain.rows)
    assert [row.cassette for row in domain.rows] == [True] * 2 + [False] * 10


def test_a_refused_write_is_no_write(tmp_path: Path):
    refused = ("cancel_order", "O-07", {"error": "too late"})
    (talk, _), *_ = played(shop(tmp_path, {0: (refused, looked(0))})).cases.values()
    assert [row.read_after_write for row in talk] == [False, False]


def test_an_answer_is_knowable_if_the_log_or_the_calls_hold_its_values(tmp_path: Path):
    unheard, asked_for = {"order_id": "O-07", "status": "lost"}, {"order_id": "X-1", "status": "cancelled"}
    made = (("get_order", "O-07", unheard), ("get_order", "X-1", asked_for), ("get_order", "O-07", {"order_id": "X-1"}))
    (talk, _), *_ = played(shop(tmp_path, {0: made})).cases.values()
    assert [row.exact for row in talk] == [False, False, False]
    assert [row.knowable for row in talk] == [False, True, True]


def test_a_domain_with_too_few_attempts_is_left_out(tmp_path: Path):
    traces = [conversation(case, attempt, looked(case)) for case in range(4) for attempt in range(3)]
    assert measure(written(tmp_path, traces), "shop") is None


def answered(exact: bool, source: str = "recorded", told: Json = None, really: Json = None) -> Answered:
    mined, real = Told({}, told, False, False), Told({}, really, False, False)
    return Answered(mined, real, source, exact, False, True, False, 1e-6)


def domain_of(name: str, *cases: list[Answered]) -> Domain:
    return Domain(name, {str(n): [rows] for n, rows in enumerate(cases)}, 1, 0.001)


def test_cases_are_drawn_whole():
    found = "\n".join(rates([domain_of("d", [answered(True)] * 50, [answered(False)] * 50)]))
    assert "exact 50.0 [0.0, 100.0] (cassette 0.0 [0.0, 0.0], knowable 100.0 [100.0, 100.0])" in found
    assert "reads after a write nan" in found


def test_a_large_domain_does_not_outvote_a_small_one():
    found = "\n".join(rates([domain_of("large", [answered(True)] * 900), domain_of("small", [answered(False)])]))
    assert "mean of 2 domains" in found and "exact 50.0 [50.0, 50.0]" in found


def test_the_share_of_a_gap_is_told_where_there_is_one():
    counts = np.array([[100, 80, 60, 90, 10, 5, 5, 5], [100, 99, 98, 99.5, 0, 0, 0, 0]], float)
    wide, narrow = figures(counts)
    assert wide == pytest.approx([80, 60, 90, 50, 50, 50, 200 / 3])
    assert np.isnan(narrow[3:]).all()


@pytest.mark.parametrize(("right", "wrong", "named"), [(19, 1, True), (18, 1, False), (97, 3, False), (96, 4, True)])
def test_a_label_that_says_it_knows_must_be_right(right: int, wrong: int, named: bool):
    found = list(labels([domain_of("d", [answered(True)] * right + [answered(False)] * wrong)]))
    assert f"{right}/{right + wrong}" in found[1]
    assert (found[-1].endswith("none")) is not named


def test_an_invented_answer_owns_that_it_may_be_wrong():
    assert list(labels([domain_of("d", [answered(False, "neighbour")] * 99)]))[-1].endswith("none")


def test_contradictions_are_counted_of_invented_answers_and_of_real_ones_in_their_place():
    first = answered(True, told=order(1), really=order(1))
    untrue = answered(False, "neighbour", told=order(1, "lost"), really=order(1))
    known = answered(False, "recorded", told=order(1, "sold"), really=order(1, "sold"))
    invented, real = coherence([domain_of("d", [first, untrue, untrue, known])])
    assert "invented answers: 50.00 (1 of 2; 2 show" in invented  # the second agrees with the first invention
    assert "in their place: 0.00 (0 of 2; 2 show" in real


def test_the_whole_table_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.argv", ["domains", "--domains", str(shop(tmp_path))])
    domains.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == "shop 36 66.7 100.0 100.0 | 12 0.0 100.0 100.0".split()
    assert "share of the knowable gap closed, in %: 100.0" in lines[5]
    assert "ms of processor time a call (18 calls" in lines[-2]


def test_a_name_that_no_domain_has_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.argv", ["domains", "--domains", str(shop(tmp_path)), "--only", "bank"])
    with pytest.raises(SystemExit, match="2"):
        domains.main()
