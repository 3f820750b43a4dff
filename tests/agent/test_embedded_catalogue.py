"""What everybody knows, and what stands already: names of plans, numbers that are something else, rows that repeat."""

from collections.abc import Sequence

from agent_gym.agent.embedded.binding import Binder, Bound
from agent_gym.agent.embedded.catalogue import Catalogue
from agent_gym.agent.embedded.points import points_of
from agent_gym.agent.embedded.record import Record
from agent_gym.agent.embedded.sources import marks_of
from agent_gym.agent.embedded.talk import State, Talk
from agent_gym.types import Message, Trace
from tests.agent.test_embedded_binding import answers, calls, user

PLANS = {"plans": [{"plan_id": "P-1", "name": "Small"}, {"plan_id": "P-2", "name": "Large"}]}
TOWNS = {"rooms": [{"town": town, "zip": zip_code} for town, zip_code in (("Bern", "30110"), ("Oslo", "30220"))]}


def record() -> list[Trace]:
    """Four customers, each with a look at the list of plans, who move to another one."""
    rows = [("A-40118", "P-1", "P-2", "Large"), ("A-40229", "P-2", "P-1", "Small")] * 2
    return [
        Trace(str(n), (*talk(f"{account}{n}", now), *moved(to, name)))
        for n, (account, now, to, name) in enumerate(rows)
    ]


def talk(account: str, plan: str) -> tuple[Message, ...]:
    return (
        user(f"my account is {account}"),
        calls("get", {"account": account}),
        answers({"account": account, "plan_id": plan}),
        calls("list", {"account": account}),
        answers({**PLANS, **TOWNS}),
    )


def moved(plan: str, name: str) -> tuple[Message, ...]:
    return (user(f"make it {name}"), calls("move", {"plan_id": plan}), answers({"moved": True}))


def bound(traces: Sequence[Trace], tool: str, *messages: Message) -> Bound:
    catalogue = Catalogue.of(traces)
    binder = Binder([point for trace in traces for point in points_of(trace, catalogue.names)], catalogue)
    return binder.bind(tool, State(Talk(messages, catalogue.names), len(messages)), [], {})


def test_a_thing_is_ordered_by_the_name_customers_use():
    assert bound(record(), "move", *talk("A-50001", "P-1"), user("Large, please")).arguments == {"plan_id": "P-2"}


def test_what_stands_already_is_not_set_again():
    asked = user("I have Small and want Large")
    assert bound(record(), "move", *talk("A-50001", "P-1"), asked).arguments == {"plan_id": "P-2"}
    assert bound(record(), "move", *talk("A-50001", "P-2"), user("I have Large now")).arguments != {"plan_id": "P-2"}


def test_a_number_known_as_something_else_is_no_id_without_its_letters():
    assert bound(record(), "get", user("Kim Lee, 30110")).missing == ("account",)


def test_rows_that_repeat_another_are_told_apart():
    days = [{"day": day} for day in ("2025-01-02", "2025-01-09", "2025-01-09", "2025-01-16")]
    assert marks_of(days) == [["first", "day lowest"], ["day as after"], ["day as before"], ["last", "day highest"]]


def test_a_question_for_anything_else_is_no_question_for_a_value():
    closing = "Is there anything else?"
    told = [
        Trace(str(n), (*talk(f"A-4011{n}", "P-1"), Message("assistant", closing), user("No, thanks.")))
        for n in range(9)
    ]
    last = Trace("9", (user("hi"), Message("assistant", closing), user("zip 30110"), calls("area", {"zip": "30110"})))
    assert ("area", "zip") not in Record([*told, last], frozenset()).questions


def test_a_tool_is_proposed_with_each_set_of_arguments_it_was_called_with():
    waived = [
        [user(f"drop D-{n}"), calls("drop", {"id": f"D-{n}"} | ({"fee": True} if n % 2 else {}))] for n in range(10, 18)
    ]
    traces = [Trace(str(n), tuple(messages)) for n, messages in enumerate(waived)]
    binder = Binder([point for trace in traces for point in points_of(trace)])
    ways = binder.ways("drop", State(Talk([user("drop D-77")]), 1), [], {})
    assert sorted(len(way.arguments) for way in ways) == [1, 2]


def test_the_name_of_a_thing_is_nobodys_name():
    names = ("Amy Berg", "Ben Cole", "Cleo Dunn", "Ida Falk", "Jon Gray", "Kim Hale")
    plans = {"plans": [{"plan_id": "P-1", "name": "Garden Plan"}, {"plan_id": "P-2", "name": "Harbor Plan"}]}
    traces = [
        Trace(
            str(n),
            (
                user(f"I'm {name}, account A-4011{n}"),
                calls("find", {"name": name}),
                answers({"account": f"A-4011{n}", "name": name}),
                calls("list", {"account": f"A-4011{n}"}),
                answers(plans),
                user("make it Garden Plan"),
            ),
        )
        for n, name in enumerate(names)
    ]
    asked = user("I want Harbor Plan. I'm Dora Elms")
    assert bound(traces, "find", asked).arguments == {"name": "Dora Elms"}
    assert bound(traces, "find", user("I want Harbor Plan")).missing == ("name",)
