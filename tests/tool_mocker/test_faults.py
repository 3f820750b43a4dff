"""Faults on demand: seeded, labelled, and without any effect on the world."""

import json
import os
import subprocess
import sys

import pytest

from agent_gym.errors import OptionError
from agent_gym.text import canonical
from agent_gym.tool_mocker import Faults
from agent_gym.tool_mocker.faults import FaultKind
from agent_gym.types import Json
from tests.tool_mocker.builders import cancelled, mocker, order

SHOP = mocker(*(cancelled(f"O{n}") for n in range(4)))
LOOK = ("get_order", {"order_id": "O1"})
CANCEL = ("cancel_order", {"order_id": "O1", "reason": "reason O1"})


def always(*kinds: FaultKind) -> Faults:
    return Faults(rate=1, kinds=kinds)


def test_there_are_no_faults_unless_asked_for():
    session = SHOP.session()
    assert all(session.call(*LOOK).source == "recorded" for _ in range(50))
    assert SHOP.session(faults=Faults(rate=0)).call(*LOOK).latency == 0.0


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "server_error"])
def test_a_failed_call_is_an_error_labelled_as_injected(kind):
    answer = SHOP.session(faults=always(kind)).call(*LOOK)
    assert (answer.source, answer.is_error) == ("injected", True)
    assert "error" in answer.result


def test_a_write_that_failed_has_not_happened():
    session = SHOP.session(faults=always("timeout"))
    assert session.call(*CANCEL).source == "injected"
    assert not session.world.writes and not session.world.changes()


def test_trying_again_may_succeed_and_gets_the_answer_it_would_have_had():
    session = SHOP.session(faults=Faults(rate=0.5, kinds=("server_error",)))
    answers = [session.call(*CANCEL) for _ in range(20)]
    sources = [answer.source for answer in answers]
    assert "injected" in sources and len(set(sources)) > 1
    first = next(answer for answer in answers if answer.source != "injected")
    assert first == SHOP.session().call(*CANCEL)


def test_an_anchored_call_is_struck_too_and_loses_none_of_its_recorded_answers():
    tools = mocker([("roll_dice", {}, 3), ("roll_dice", {}, 5)], [("roll_dice", {}, 1)])
    session = tools.session("t0", faults=Faults(rate=0.5, kinds=("timeout",)))
    answers = [session.call("roll_dice", {}) for _ in range(20)]
    assert [answer.result for answer in answers if answer.source == "recorded"][:2] == [3, 5]
    assert any(answer.source == "injected" for answer in answers)


def test_an_empty_answer_has_the_type_of_the_tools_results():
    tools = mocker(
        [("find_orders", {"of": "me"}, [order("A")]), ("list_names", {}, "Ann, Bob"), ("count_orders", {}, 7)],
        [("get_order", {"order_id": "A"}, json.dumps(order("A")))],
    )
    session = tools.session(faults=always("empty"))
    assert session("find_orders", {"of": "me"}) == [] and session("list_names", {}) == ""
    assert session("count_orders", {}) is None
    assert session("get_order", {"order_id": "A"}) == "{}"
    assert session.call("list_names", {}).is_error is False


def test_a_write_is_never_answered_with_nothing():
    session = SHOP.session(faults=always("empty"))
    assert session.call(*LOOK).source == "injected"
    assert session.call(*CANCEL).source == "recorded"


def test_a_slow_answer_is_the_true_one_with_a_delay_in_the_range():
    slow = SHOP.session(faults=Faults(rate=1, kinds=("slow",), latency=(0.5, 0.6)))
    answer, plain = slow.call(*CANCEL), SHOP.session().call(*CANCEL)
    assert 0.5 <= answer.latency <= 0.6
    assert (answer.result, answer.source) == (plain.result, plain.source)
    assert slow.world.changes()["order", "O1", "status"] == "cancelled"


def test_the_words_of_an_error_are_those_of_the_record():
    error = {"error": {"code": 429, "message": "slow down: O7"}}
    busy = [("get_order", {"order_id": "O7"}, json.dumps(error)), ("get_user", {"user_id": "U1"}, {"user_id": "U1"})]
    session = mocker(busy, cancelled("O1")).session(faults=always("rate_limit"))
    answer = session.call("get_order", {"order_id": "O7"})
    assert json.loads(answer.result) == error and answer.evidence == ("t0",)
    # What names its own call is not said of another tool's.
    assert "O7" not in str(session("get_user", {"user_id": "U1"}))


def test_an_error_without_values_of_its_call_serves_every_tool():
    told = {"error": "Service temporarily unavailable"}
    tools = mocker([("get_order", {"order_id": "O7"}, told), ("get_user", {"user_id": "U1"}, {"user_id": "U1"})])
    assert tools.session(faults=always("server_error"))("get_user", {"user_id": "U1"}) == told


def test_an_amount_in_an_error_is_not_taken_for_a_status():
    tools = mocker(
        [("pay", {"amount": 500}, {"error": "the limit is 500 or 429 a day"}), ("pay", {"amount": 5}, "paid")]
    )
    session = tools.session(faults=always("server_error", "rate_limit"))
    assert not any("limit is" in str(session("pay", {"amount": n})) for n in range(20))


def test_only_the_tools_named_are_struck():
    session = SHOP.session(faults=Faults(rate=1, kinds=("timeout",), tools=("cancel_order",)))
    assert session.call(*LOOK).source == "recorded"
    assert session.call(*CANCEL).source == "injected"
    assert session.call("no_such_tool", {}).source == "invalid"


def test_about_the_share_asked_for_is_struck():
    session = SHOP.session(faults=Faults(rate=0.2))
    struck = sum(
        (answer := session.call("get_order", {"order_id": f"N{n}"})).source == "injected" or answer.latency > 0
        for n in range(1000)
    )
    assert 150 < struck < 250


def test_faults_depend_on_the_seed_and_not_on_other_calls():
    def struck(seed: int, *before: tuple[str, dict[str, Json]]) -> list[bool]:
        session = SHOP.session(seed=seed, faults=Faults(rate=0.5, kinds=("timeout",)))
        for call in before:
            session.call(*call)
        return [session.call(*LOOK).source == "injected" for _ in range(30)]

    assert struck(1) == struck(1, CANCEL, CANCEL)
    assert struck(1) != struck(2)


def test_a_fork_meets_the_same_faults_and_counts_on_its_own():
    session = SHOP.session(faults=Faults(rate=0.5, kinds=("timeout",)))
    session.call(*LOOK)
    twin = session.fork()
    there = [twin.call(*LOOK) for _ in range(20)]
    assert [session.call(*LOOK) for _ in range(20)] == there


ANSWERS = """
from agent_gym.tool_mocker import Faults
from agent_gym.text import canonical
from tests.tool_mocker.test_faults import SHOP
session = SHOP.session(seed=3, faults=Faults(rate=0.5))
for n in range(60):
    answer = session.call("get_order", {"order_id": f"O{n % 6}"})
    print(canonical([answer.result, answer.source, answer.latency]).decode())
"""


def test_faults_are_the_same_in_another_process_and_under_any_hash_seed():
    runs = [
        subprocess.run(
            [sys.executable, "-c", ANSWERS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "77")
    ]
    assert runs[0] == runs[1] and b"injected" in runs[0]


def test_a_wrong_wish_says_what_there_is():
    with pytest.raises(OptionError, match="did you mean 'timeout'"):
        Faults(kinds=("timeouts",))  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(OptionError, match="from 0 to 1"):
        Faults(rate=10)
    with pytest.raises(OptionError, match="least, most"):
        Faults(latency=(2, 1))
    with pytest.raises(OptionError, match="did you mean 'get_order'"):
        SHOP.session(faults=Faults(tools=("get_orders",)))


def test_a_call_that_is_no_object_can_be_struck_as_well():
    session = SHOP.session(faults=always("timeout"))
    assert session.call("get_order", ["O1"]).source == "injected"  # type: ignore[arg-type]  # what an agent may send
    assert canonical(session("get_order", None)) != b"null"
