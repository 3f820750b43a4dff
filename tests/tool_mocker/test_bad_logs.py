"""Logs as bad as real ones can be: whatever they hold is mined, every call of it is answered, and no guess is sure."""

import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_gym import create_environment
from agent_gym.text import same
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import SOURCES, Json
from tests.tool_mocker.builders import Call, cancelled, conversation, mocker, order

GUESSES = ("neighbour", "unknown", "invalid")
CALLS = [("get_file", {"file": "F1"}), ("get_file", {"file": "F9"}), ("rename_file", {"file": "F1", "name": "new"})]


def files(contents: list[Json]) -> list[list[Call]]:
    """Conversations in which a file is read, renamed, and read again."""
    return [
        [
            ("get_file", {"file": f"F{n}"}, content),
            ("rename_file", {"file": f"F{n}", "name": f"name {n}"}, content),
            ("get_file", {"file": f"F{n}"}, content),
        ]
        for n, content in enumerate(contents)
    ]


def text_of(size: int, n: int) -> str:
    return f"{n:05} lorem ipsum " * (size // 18 + 1)


MEGABYTE = 1_000_000
HUGE: dict[str, list[Json]] = {
    "text": [text_of(MEGABYTE, n) for n in range(3)],
    "field": [{"file": f"F{n}", "content": text_of(MEGABYTE, n)} for n in range(3)],
    "rows": [[{"row": f"R{n}-{at}", "note": text_of(4_000, at)} for at in range(250)] for n in range(3)],
    "fields": [{f"field {at}": text_of(10_000, at + n) for at in range(100)} for n in range(3)],
}


@pytest.mark.parametrize("form", HUGE)
def test_results_of_a_megabyte_are_told_as_they_were(form):
    tools = mocker(*files(HUGE[form]))
    for session in (tools.session(), tools.session("t1")):
        assert session.call(*CALLS[0]).result == HUGE[form][1]
    assert all(tools.session().call(*call).source in SOURCES for call in CALLS)


ROWS = {size: files([[{"row": f"{n} {at}"} for at in range(size)] for n in range(3)]) for size in (150, 600)}


def test_lists_four_times_as_long_are_hardly_more_than_four_times_the_work():
    small, large = (_work(ROWS[size]) for size in sorted(ROWS))
    assert large < 6 * small


def _work(conversations: list[list[Call]]) -> int:
    """How many functions are called to mine a log: as good as a clock, and always the same."""
    calls: Counter[str] = Counter()

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        calls[event] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        mocker(*conversations)
    finally:
        sys.setprofile(before)
    return calls["call"]


def nested(leaf: str, levels: int = 500) -> Json:
    value: Json = leaf
    for level in range(levels):
        value = {"inner": value} if level % 2 else [value]
    return value


def leaf_of(value: Json) -> Json:
    while isinstance(value, dict | list):
        value = value["inner"] if isinstance(value, dict) else value[0]
    return value


NESTED = files([nested(f"leaf {n}") for n in range(4)])


@pytest.mark.parametrize("own", ["t1", None])
def test_results_of_500_levels_are_told_down_to_the_last(own):
    assert leaf_of(mocker(*NESTED).session(own)(*CALLS[0])) == "leaf 1"


def test_calls_of_a_tool_that_tells_500_levels_get_an_answer():
    session = mocker(*NESTED).session()
    assert all(session.call(*call).source in SOURCES for call in CALLS)


BINARY = "\x00\x01\x1b[0m\x7f\x9f\ufffe\udfff\ud800 %PDF\r\n"
ODD_TEXTS: dict[str, list[Json]] = {
    "text": [f"{BINARY}{n}" for n in range(4)],
    "field": [{"file": f"F{n}", "content": f"{BINARY}{n}"} for n in range(4)],
    "name": [{"file": f"F{n}", BINARY: n} for n in range(4)],
    "rows": [[f"{BINARY}{n}", BINARY] for n in range(4)],
}


@pytest.mark.parametrize("form", ODD_TEXTS)
def test_what_is_hardly_text_is_told_as_it_was(form):
    tools = mocker(*files(ODD_TEXTS[form]))
    for session in (tools.session(), tools.session("t1")):
        assert session.call(*CALLS[0]).result == ODD_TEXTS[form][1]
    assert all(tools.session().call(*call).source in SOURCES for call in CALLS)


@pytest.mark.parametrize("form", ODD_TEXTS)
def test_an_environment_is_made_of_what_is_hardly_text(form):
    traces = [conversation(f"t{n}", calls).to_dict() for n, calls in enumerate(files(ODD_TEXTS[form]))]
    tools = create_environment(json.loads(json.dumps(traces)), agent="embedded").tool_mocker
    answer = tools.session("t1").call(*CALLS[0])
    assert answer.source == "recorded" and "%PDF" in json.dumps(answer.result)


def test_an_order_called_in_control_characters_is_the_order_it_is():
    tools = mocker(*(cancelled(f"\x00{n}\ud800") for n in range(5)))
    session = tools.session()
    session.call("cancel_order", {"order_id": "\x003\ud800", "reason": "\x1b"})
    shown = session.call("get_order", {"order_id": "\x003\ud800"})
    assert shown.result["status"] == "cancelled" and shown.result["order_id"] == "\x003\ud800"


def token(n: int) -> str:
    return f"{random.Random(n).getrandbits(64):016x}"


def tokens(n: int) -> list[Call]:
    """Nothing is ever answered twice alike."""
    calls: list[tuple[str, dict[str, Json]]] = [("get_token", {}), ("get_quote", {"plan": f"P{n % 4}"})] * 2
    return [(tool, asked, {"token": token(10 * n + at)}) for at, (tool, asked) in enumerate(calls)]


@pytest.mark.parametrize("call", [("get_token", {}), ("get_quote", {"plan": "P1"}), ("get_quote", {"plan": "P9"})])
def test_what_was_never_answered_twice_alike_is_a_guess(call):
    answer = mocker(*(tokens(n) for n in range(20))).session().call(*call)
    assert answer.source in GUESSES and answer.confidence < 0.3


def test_what_was_never_answered_twice_alike_is_told_again_where_it_was_told():
    session = mocker(*(tokens(n) for n in range(20))).session("t7")
    assert [session(tool, asked) for tool, asked, _ in tokens(7)] == [result for _, _, result in tokens(7)]


def test_a_write_to_what_was_only_guessed_is_a_guess():
    tools = mocker(*files([{"file": f"F{n}", "token": token(n)} for n in range(8)]))
    session = tools.session()
    assert session.call("get_file", {"file": "F99"}).source == "neighbour"
    assert session.call("rename_file", {"file": "F99", "name": "new"}).source in GUESSES


def test_a_log_of_one_conversation_answers_it_and_guesses_the_rest():
    traces = [conversation("only", cancelled("O1")).to_dict()]
    tools = create_environment(traces, agent="embedded").tool_mocker
    assert tools.session().call("get_order", {"order_id": "O1"}).source == "recorded"
    for name, arguments in (("get_order", {"order_id": "O7"}), ("cancel_order", {"order_id": "O7", "reason": "late"})):
        assert tools.session().call(name, arguments).source in GUESSES


def test_in_a_log_of_one_conversation_a_write_is_seen_by_the_next_read():
    session = mocker(cancelled("O1")).session()
    session.call("cancel_order", {"order_id": "O1", "reason": "reason O1"})
    assert session("get_order", {"order_id": "O1"})["status"] == "cancelled"


def refunds(n: int) -> list[Call]:
    """A tool that nobody has ever seen work."""
    refused = ValueError(f"Error: O{n} is too old") if n % 2 else ValueError("Error: service is down")
    return [("get_order", {"order_id": f"O{n}"}, order(f"O{n}")), ("refund_order", {"order_id": f"O{n}"}, refused)]


@pytest.mark.parametrize("key", ["O2", "O3", "O77", "", None, 7])
def test_a_tool_that_only_ever_failed_fails_and_changes_nothing(key):
    session = mocker(*(refunds(n) for n in range(8))).session()
    assert session.call("refund_order", {"order_id": key}).is_error
    assert not session.world.writes and not session.world.changes()
    assert session("get_order", {"order_id": "O2"}) == order("O2")


def ticket(n: int, status: str = "open") -> dict[str, Json]:
    return {"id": n, "status": status, "total": 11 * n}


def spelt(n: int) -> list[Call]:
    """A ticket is read by its number, or by the same as text, or by both."""
    spellings: tuple[list[Json], ...] = ([n, str(n)], [n], [str(n)])
    return [("get_ticket", {"id": key}, ticket(n)) for key in spellings[n % 3]]


def closed(n: int) -> list[Call]:
    """The number as text closes the ticket that the number shows."""
    return [
        ("get_ticket", {"id": n}, ticket(n)),
        ("close_ticket", {"id": str(n)}, ticket(n, "closed")),
        ("get_ticket", {"id": n}, ticket(n, "closed")),
    ]


@cache
def tickets() -> ToolMocker:
    return mocker(*(spelt(n) for n in range(1, 19)), *(closed(n) for n in (3, 6, 9, 12)))


SPELLINGS = [6, "6", 7, "7", 8, "8"]  # the log shows 6 both ways, 7 as a number and 8 as text


@pytest.mark.parametrize("key", SPELLINGS, ids=repr)
def test_an_id_that_is_a_number_here_and_text_there_is_of_one_ticket(key):
    assert tickets().session()("get_ticket", {"id": key}) == ticket(int(key))


@pytest.mark.parametrize("key", SPELLINGS, ids=repr)
def test_an_id_in_its_other_spelling_is_no_guess(key):
    assert tickets().session().call("get_ticket", {"id": key}).source not in GUESSES


@pytest.mark.parametrize("key", SPELLINGS, ids=repr)
def test_a_write_by_an_id_as_text_is_seen_by_a_read_by_its_number(key):
    session = tickets().session()
    written = session.call("close_ticket", {"id": str(key)})
    assert not written.is_error and written.result["status"] == "closed"
    assert session("get_ticket", {"id": key})["status"] == "closed"


def timestamp(n: int) -> str:
    return f"2024-05-{1 + n % 28:02}T{n * 7 % 24:02}:{n * 13 % 60:02}:{n * 29 % 60:02}Z"


CLOCKS: dict[str, Callable[[int], Json]] = {
    "object": lambda n: {"now": timestamp(n)},
    "text": timestamp,
    "number": lambda n: 1_700_000_000 + n,
    "nested": lambda n: {"server": {"name": "main", "time": timestamp(n)}},
}
STOCK = {f"S{n}": {"sku": f"S{n}", "price": n * 7 % 50 + 1} for n in range(6)}
WEATHER = {f"Town {n}": {"city": f"Town {n}", "sky": "blue" if n % 2 else "grey"} for n in range(6)}


def clocked(n: int, clock: str) -> list[Call]:
    """Tools whose names say nothing of what they do, and a clock that is looked at now and then."""
    rng, times = random.Random(n), iter(range(10 * n, 10 * n + 10))
    calls: list[Call] = [("now", {}, CLOCKS[clock](next(times)))]
    for _ in range(5):
        sku, city = rng.choice(list(STOCK)), rng.choice(list(WEATHER))
        calls.append(rng.choice([("stock", {"sku": sku}, STOCK[sku]), ("weather", {"city": city}, WEATHER[city])]))
        if rng.random() < 0.6:
            calls.append(("now", {}, CLOCKS[clock](next(times))))
    return calls


@cache
def desk(clock: str) -> ToolMocker:
    return mocker(*(clocked(n, clock) for n in range(24)))


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_is_never_said_to_be_sure(clock):
    session = desk(clock).session()
    for _ in range(3):
        answer = session.call("now", {})
        assert not answer.is_error and answer.source == "neighbour" and answer.confidence < 0.3
        session.call("stock", {"sku": "S1"})


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_makes_no_other_tool_a_write(clock):
    session = desk(clock).session()
    for call in (("now", {}), ("stock", {"sku": "S1"}), ("weather", {"city": "Town 2"}), ("now", {})):
        session.call(*call)
    assert not session.world.writes and not session.world.changes()


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_spoils_no_recorded_answer(clock):
    session = desk(clock).session()
    for _ in range(2):
        session.call("now", {})
        shown = session.call("stock", {"sku": "S1"}), session.call("weather", {"city": "Town 2"})
        assert [answer.result for answer in shown] == [STOCK["S1"], WEATHER["Town 2"]]
        assert all(answer.source == "recorded" and answer.confidence > 0.9 for answer in shown)


@pytest.mark.parametrize("clock", CLOCKS)
def test_a_clock_is_told_as_it_was_in_its_own_conversation(clock):
    session = desk(clock).session("t5")
    assert [session(tool, asked) for tool, asked, _ in clocked(5, clock)] == [told for _, _, told in clocked(5, clock)]


MIXED: list[Json] = [
    "a sentence about it", None, 7, [1, "two", None], {"id": "X", "v": 1}, True, 0.5, "", [], {}, '{"id": "X"}',
    [{"id": "Y"}], "7", ValueError("Error: no"),
]  # fmt: skip


THINGS = ("get_thing", "list_things", "update_thing", "thing")


def likes(n: int) -> list[Call]:
    """Tools of every kind by name, each of which answers as it likes."""
    return [(THINGS[(n + at) % 4], {"id": f"X{n % 5}", "n": at}, MIXED[(n * 3 + at) % len(MIXED)]) for at in range(4)]


@cache
def mixed() -> ToolMocker:
    return mocker(*(likes(n) for n in range(28)))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["X1", "X9", "", "7"]) | st.text()
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3))
NAMES = st.sampled_from(["id", "n"]) | st.text(max_size=5)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=4) | VALUES
TOOLS = st.sampled_from([*THINGS, "get_ticket", "close_ticket", "now", "stock"]) | st.text(max_size=5)
BOUNDED = settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
LOGS: dict[str, Callable[[], ToolMocker]] = {"mixed": mixed, "tickets": tickets, "clock": lambda: desk("object")}


@pytest.mark.parametrize("log", LOGS)
@BOUNDED
@given(own=st.sampled_from([None, "t1"]), calls=st.lists(st.tuples(TOOLS, ARGUMENTS), max_size=5))
def test_whatever_is_asked_of_a_bad_log_gets_an_answer(log, own, calls):
    session = LOGS[log]().session(own)
    for name, arguments in calls:
        answer, again = session.call(name, arguments), session.fork().call(name, arguments)
        assert answer.source in SOURCES and again.source in SOURCES and 0 <= answer.confidence <= 1


@pytest.mark.parametrize("n", range(0, 28, 3))
def test_tools_that_answer_as_they_like_still_replay_their_own_conversation(n):
    session = mixed().session(f"t{n}")
    told = [session(tool, asked) for tool, asked, _ in likes(n)]
    assert told == [str(result) if isinstance(result, Exception) else result for _, _, result in likes(n)]


ANY_CALL = st.tuples(st.sampled_from(THINGS), st.dictionaries(NAMES, VALUES, max_size=3), VALUES)
ANY_LOG = st.lists(st.lists(ANY_CALL, max_size=5), min_size=1, max_size=6)


@settings(BOUNDED, max_examples=50)
@given(talks=ANY_LOG)
def test_any_log_is_mined_and_replays_itself(talks):
    tools = mocker(*talks)
    for n, calls in enumerate(talks):
        session = tools.session(f"t{n}")
        assert all(same(session(tool, asked), told) for tool, asked, told in calls)
