"""What nothing in the record shows: denied where such look-ups failed, made up where they did not."""

from agent_gym.corpus import Corpus
from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Trace
from tests.tool_mocker.builders import Call, conversation, order

NOBODY = ValueError("Error: nobody of that name")


def customer(n: int) -> list[Call]:
    user = {"user_id": f"u{n}", "name": f"name{n}", "zip": f"{1000 + n}"}
    return [
        ("find_user", {"name": f"name{n}", "zip": f"{1000 + n}"}, f"u{n}"),
        ("get_user", {"user_id": f"u{n}"}, user),
    ]


def talks(prefix: str, *calls: list[Call], case: int) -> list[Trace]:
    """Conversations of one case."""
    made = [conversation(f"{prefix}{case}{at}", each) for at, each in enumerate(calls)]
    return [Trace(t.conversation_id, t.messages, t.outcome, metadata={"task_id": f"{prefix}{case}"}) for t in made]


def tools() -> ToolMocker:
    """Each customer called twice; some gave a wrong zip first."""
    wrong: list[Call] = [("find_user", {"name": f"name{n}", "zip": f"{2000 + n}"}, NOBODY) for n in range(4)]
    traces = [t for n in range(8) for t in talks("c", customer(n), [*wrong[n : n + 1], *customer(n)], case=n)]
    return ToolMocker.fit(Corpus(traces))


def test_a_look_up_that_differs_from_a_known_record_in_one_part_is_denied():
    answer = tools().session().call("find_user", {"name": "name6", "zip": "3333"})
    assert (answer.source, answer.result) == ("not_found", str(NOBODY))


def test_a_customer_of_a_new_case_is_made_up_though_every_recorded_one_was_seen_twice():
    answer = tools().session().call("find_user", {"name": "name9", "zip": "1009"})
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
    session = ToolMocker.fit(Corpus(conversation(f"t{at}", calls) for at, calls in enumerate([*good, *bad]))).session()
    assert session.call("track_order", {"order_id": "W77"}).result == "Error: no such order"
    assert session.call("track_order", {"order_id": "#W7"}).source == "neighbour"
