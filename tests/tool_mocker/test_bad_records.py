"""Logs that contradict themselves, answer by clock or chance, are huge or hardly there: labelled, never a crash."""

import random

import pytest

from agent_gym.text import same
from agent_gym.types import Json
from tests.tool_mocker.builders import cancelled, mocker, order

CERTAIN = ("recorded", "state", "function")


def read(key: str, status: str) -> list[tuple[str, dict[str, Json], Json]]:
    return [("get_order", {"order_id": key}, order(key, status))]


def test_where_conversations_contradict_each_other_most_of_them_are_believed():
    tools = mocker(read("O1", "open"), read("O1", "lost"), read("O1", "open"), read("O2", "open"))
    assert tools.session()("get_order", {"order_id": "O1"})["status"] == "open"
    assert tools.session("t1")("get_order", {"order_id": "O1"})["status"] == "lost"


def test_where_conversations_contradict_each_other_confidence_says_so():
    torn = mocker(*(read(f"O{n % 5}", random.Random(n).choice(["open", "lost", "sent"])) for n in range(60)))
    clear = mocker(*(read(f"O{n % 5}", "open") for n in range(60)))
    doubtful, sure = (tools.session().call("get_order", {"order_id": "O1"}) for tools in (torn, clear))
    assert (doubtful.source, sure.source) == ("neighbour", "recorded")
    assert doubtful.confidence < 0.7 < 0.9 < sure.confidence


def test_a_call_that_is_refused_here_and_accepted_there_gets_an_answer():
    mixed = [[("pay", {"bill": "B1"}, ValueError("Error: declined") if n % 2 else {"paid": True})] for n in range(8)]
    answer = mocker(*mixed).session().call("pay", {"bill": "B1"})
    assert (answer.result, answer.source) == ({"paid": True}, "neighbour")


def clock(n: int) -> list[tuple[str, dict[str, Json], Json]]:
    return [("get_time", {}, f"12:{n:02}:{n * 7 % 60:02}"), ("new_id", {"for": "order"}, f"{n * 7919 % 10007:x}")]


@pytest.mark.parametrize(("tool", "arguments"), [("get_time", {}), ("new_id", {"for": "order"})])
def test_what_follows_from_clock_or_chance_is_never_said_to_be_sure(tool, arguments):
    tools = mocker(*(clock(n) for n in range(40)))
    answer = tools.session().call(tool, arguments)
    assert not answer.is_error and answer.confidence < 0.3 and answer.source != "function"


def test_a_clock_still_replays_in_its_own_conversation():
    tools = mocker(*(clock(n) for n in range(10)))
    assert [tools.session(f"t{n}")("get_time", {}) for n in range(10)] == [clock(n)[0][2] for n in range(10)]


HUGE = "".join(chr(97 + n % 26) + (" " if n % 7 == 0 else "") for n in range(200_000))


@pytest.mark.parametrize(
    "result",
    [
        HUGE * 10,
        {"blob": HUGE * 10},
        [{"id": f"R{n}", "v": n} for n in range(2_000)],
        "\x00\x01\ud800\uffff" * 1000,
        b"\x89PNG\x00\xff",
        {"image": b"\x00"},
        ValueError("Error: " + HUGE),
        "",
        None,
        float("inf"),
        10**30,
    ],
    ids="text object list binary bytes bytes_inside error empty none infinite large_number".split(),
)
def test_odd_and_huge_results_are_mined_and_replayed(result):
    tools = mocker([("get", {"k": "K1"}, result)], [("get", {"k": "K2"}, result), ("set_k", {"k": "K2"}, result)])
    told = str(result) if isinstance(result, Exception) else result
    assert same(tools.session("t1")("get", {"k": "K2"}), told)
    assert tools.session().call("set_k", {"k": "K3"}).source not in CERTAIN


@pytest.mark.parametrize("levels", [150, 300, 5_000])
def test_records_that_nest_without_end_are_mined_and_replayed(levels):
    def deep(leaf: str) -> Json:
        value: Json = leaf
        for _ in range(levels):
            value = {"inner": value}
        return value

    tools = mocker(*([("set_k", {"k": f"K{n}", "v": deep(f"{n}")}, {"k": f"K{n}", "v": deep("x")})] for n in range(4)))
    assert same(tools.session("t1")("set_k", {"k": "K1", "v": deep("1")}), {"k": "K1", "v": deep("x")})
    assert not tools.session().call("set_k", {"k": "K9", "v": {}}).is_error


def test_a_tool_with_one_example_answers_that_and_labels_the_rest():
    session = mocker(cancelled("O1")).session()
    known, other = (session.call("get_order", {"order_id": key}) for key in ("O1", "O8"))
    assert known.source == "recorded" and other.source == "neighbour" and other.confidence <= 0.5
    assert other.result["order_id"] == "O8"


def test_a_tool_whose_one_example_is_an_error_has_no_other_behaviour():
    session = mocker([("pay", {"bill": "B1"}, ValueError("Error: declined"))]).session()
    assert session.call("pay", {"bill": "B1"}).source == "recorded"
    assert session.call("pay", {"bill": "B2"}).source in ("unknown", "rule", "not_found", "neighbour")


def test_an_empty_log_knows_no_tool():
    tools = mocker([], [])
    assert tools.tools == ()
    assert tools.session().call("get_order", {"order_id": "O1"}).source == "invalid"
