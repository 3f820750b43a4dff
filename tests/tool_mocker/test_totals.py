"""Numbers that follow writes: what a shelf holds, what is open, what a list has."""

from agent_gym.tool_mocker import ToolMocker
from agent_gym.types import Json
from tests.tool_mocker.builders import Call, mocker


def summary(shop: str, still_open: int) -> Call:
    return ("get_summary", {"shop": shop}, {"shop": shop, "open_tickets": still_open})


def ticket(key: str, shop: str, state: str) -> dict[str, Json]:
    return {"ticket_id": key, "shop": shop, "state": state}


def opened(key: str, shop: str) -> Call:
    return ("open_ticket", {"ticket_id": key, "shop": shop}, ticket(key, shop, "open"))


def closed(key: str, shop: str) -> Call:
    return ("close_ticket", {"ticket_id": key}, ticket(key, shop, "closed"))


def help_desk() -> ToolMocker:
    """Shops with so many tickets at first, each seen again after one was opened, and after it was closed."""
    talks: list[list[Call]] = []
    for n in range(8):
        shop, key = f"shop-{n}", f"T-{n}00"
        look = [summary(shop, n), opened(key, shop), summary(shop, n + 1)]
        talks.append([*look, closed(key, shop), summary(shop, n)] if n % 2 else look)
    return mocker(*talks)


def test_a_count_follows_what_the_session_opens_and_closes() -> None:
    session = help_desk().session()
    for key in ("T-901", "T-902"):
        session("open_ticket", {"ticket_id": key, "shop": "shop-3"})
    after_two = session("get_summary", {"shop": "shop-3"})
    session("close_ticket", {"ticket_id": "T-901"})
    session("close_ticket", {"ticket_id": "T-901"})  # what is closed is not closed again
    assert (after_two["open_tickets"], session("get_summary", {"shop": "shop-3"})["open_tickets"]) == (5, 4)


def test_an_answer_given_after_writes_tells_what_it_was_before_them() -> None:
    late: list[Call] = [opened("T-950", "shop-x"), opened("T-951", "shop-x"), summary("shop-x", 6)]
    talks = [[summary(f"shop-{n}", n), opened(f"T-{n}00", f"shop-{n}"), summary(f"shop-{n}", n + 1)] for n in range(8)]
    assert mocker(*talks, late).session()("get_summary", {"shop": "shop-x"})["open_tickets"] == 4


def listed(n: int, *made: int) -> list[Call]:
    """A list that is counted before and after each time that things are added to it."""
    calls: list[Call] = [("count_items", {"list": f"L-{n}"}, {"items": 0})]
    for at, size in enumerate(made):
        ids = [f"I-{n}-{at}-{i}" for i in range(size)]
        calls.append(("add_items", {"list": f"L-{n}", "recipe": f"R{at}"}, {"created": ids}))
        calls.append(("count_items", {"list": f"L-{n}"}, {"items": sum(made[: at + 1])}))
    return calls


def test_a_number_moves_by_as_many_as_a_write_has_made() -> None:
    session = mocker(*(listed(n, 2 + n % 3, 4) for n in range(6))).session("t1")
    session("add_items", {"list": "L-1", "recipe": "R1"})
    assert session("count_items", {"list": "L-1"})["items"] == 4


def test_a_number_that_rests_on_a_guess_is_a_guess() -> None:
    session = mocker(*(listed(n, 2 + n % 3, 4) for n in range(6))).session("t1")
    made = session.call("add_items", {"list": "L-1", "recipe": "unheard of"})
    answer = session.call("count_items", {"list": "L-1"})
    assert (made.source, answer.source) == ("neighbour", "neighbour")
    assert answer.result["items"] == len(made.result["created"])
