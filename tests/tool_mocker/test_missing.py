"""What nothing in the record shows: denied where such look-ups failed, made up where they did not."""

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Trace
from tests.tool_mocker.builders import Call, conversation, mocker, order

NOBODY = ValueError("Error: nobody of that name")


def customer(n: int) -> list[Call]:
    user = {"user_id": f"u{n}", "name": f"name{n}", "zip": f"{1000 + n}"}
    return [
        ("find_user", {"name": f"name{n}", "zip": f"{1000 + n}"}, f"u{n}"),
        ("get_user", {"user_id": f"u{n}"}, user),
    ]


def mistaken(n: int, zip_code: int) -> list[Call]:
    """A customer who gives a wrong zip first."""
    return [("find_user", {"name": f"name{n}", "zip": f"{zip_code}"}, NOBODY), *customer(n)]


def talks(prefix: str, *calls: list[Call], case: int) -> list[Trace]:
    """Conversations of one case."""
    made = [conversation(f"{prefix}{case}{at}", each) for at, each in enumerate(calls)]
    return [Trace(t.conversation_id, t.messages, t.outcome, metadata={"task_id": f"{prefix}{case}"}) for t in made]


def test_a_look_up_that_differs_from_a_known_record_in_one_part_is_denied():
    """Each customer came back with another case, so that a new case is mostly one of a known customer."""
    traces = [t for n in range(8) for v in "abc" for t in talks(v, mistaken(n, 10 * ord(v) + n + 1000), case=n)]
    answer = ToolMocker.fit(Corpus(traces)).session().call("find_user", {"name": "name6", "zip": "3333"})
    assert (answer.source, answer.result) == ("not_found", str(NOBODY))


def test_a_customer_of_a_new_case_is_made_up_though_every_recorded_one_was_seen_twice():
    traces = [
        t for n in range(8) for t in talks("c", customer(n), mistaken(n, 2000 + n) if n < 4 else customer(n), case=n)
    ]
    answer = ToolMocker.fit(Corpus(traces)).session().call("find_user", {"name": "name9", "zip": "1009"})
    assert answer.source == "neighbour" and not answer.is_error


def test_a_tool_that_never_failed_denies_what_looks_strange_in_the_words_of_one_that_did():
    bad: list[list[Call]] = [
        [("get_order", {"order_id": f"W{n}"}, ValueError("Error: no such order"))] for n in range(6)
    ]
    good: list[list[Call]] = [
        [
            ("get_order", {"order_id": f"#W{n}"}, order(f"#W{n}")),
            ("track_order", {"order_id": f"#W{n}"}, order(f"#W{n}", van=f"van {n}")),
        ]
        for n in range(6)
    ]
    session = mocker(*good, *bad).session()
    assert session.call("track_order", {"order_id": "W77"}).result == "Error: no such order"
    assert session.call("track_order", {"order_id": "#W7"}).source == "neighbour"


def test_an_id_of_a_strange_shape_is_denied_and_one_that_a_record_mentions_is_not():
    good = [[("get_order", {"order_id": f"#W{n}"}, order(f"#W{n}", other=f"#W{n}9"))] for n in range(6)]
    bad = [[("get_order", {"order_id": f"W{n}"}, ValueError("Error: order not found"))] for n in range(6)]
    session = mocker(*good, *bad).session("t0")
    denied, mentioned = (session.call("get_order", {"order_id": key}) for key in ("W77", "#W59"))
    assert (denied.source, denied.result) == ("not_found", "Error: order not found")
    assert not mentioned.is_error
