"""Selections: what a tool tells of a row that the session was shown."""

from tests.tool_mocker.builders import Call, mocker

HOURS = ("07:00", "09:30", "12:15")


def trip(city: str, day: int, hour: str) -> dict[str, str]:
    """A trip as the record has it: the gate goes with the city, the price with all three."""
    return {
        "to": city,
        "day": f"d{day}",
        "hour": hour,
        "gate": f"G{len(city)}",
        "price": str(sum(map(ord, city + hour)) + day),
    }


def searched(city: str, day: int) -> Call:
    return ("list_trips", {"to": city, "day": f"d{day}"}, {"trips": [trip(city, day, hour) for hour in HOURS]})


def booked(city: str, day: int, hour: str, seats: str = "1") -> Call:
    asked = {"to": city, "day": f"d{day}", "hour": hour, "seats": seats}
    return ("book_trip", asked, {**trip(city, day, hour), "seats": seats})


CITIES = ("Oslo", "Rome", "Berlin", "Lisbon")
BOOKED = [[searched(c, d), booked(c, d, HOURS[(d + len(c)) % 3], str(d))] for c in CITIES for d in (1, 2, 3)]
TOOLS = mocker(*BOOKED, *([searched(c, d)] for c in CITIES for d in (1, 2, 3)))


def test_a_booking_repeats_the_row_that_the_session_was_shown():
    session = TOOLS.session()
    shown = session.call("list_trips", {"to": "Oslo", "day": "d2"}).result["trips"][1]
    answer = session.call("book_trip", {"to": "Oslo", "day": "d2", "hour": shown["hour"], "seats": "9"})
    assert (answer.result, answer.source) == ({**shown, "seats": "9"}, "query")


def test_a_row_that_was_made_up_makes_the_booking_made_up():
    session = TOOLS.session()
    listed = session.call("list_trips", {"to": "Oslo", "day": "d8"})
    answer = session.call("book_trip", {"to": "Oslo", "day": "d8", "hour": "09:30", "seats": "9"})
    assert (listed.source, answer.source) == ("neighbour", "neighbour")
    assert answer.result["price"] == listed.result["trips"][1]["price"]


def test_the_rule_can_be_read():
    assert "of the row that list_trips listed whose" in TOOLS.explain("book_trip").words()


def test_a_fork_keeps_what_was_listed_and_its_own_from_then_on():
    session = TOOLS.session()
    session.call("list_trips", {"to": "Oslo", "day": "d1"})
    twin = session.fork()
    twin.call("list_trips", {"to": "Rome", "day": "d2"})
    oslo, rome = booked("Oslo", 1, "07:00", "9")[1], booked("Rome", 2, "07:00", "9")[1]
    assert [twin.fork().call("book_trip", asked).source for asked in (oslo, rome)] == ["query", "query"]
    assert [session.fork().call("book_trip", asked).source for asked in (oslo, rome)] == ["query", "neighbour"]


PLANS = [{"plan_id": f"PL-{n}", "price": 10 + 5 * n} for n in range(4)]


def change(number: int) -> list[Call]:
    """A subscription is read, the plans are listed, and one is taken; its term mostly ends on the same day."""
    name, plan = f"SUB-{number}", PLANS[number % 4]
    ends = "2026-01-01" if number % 3 else f"2026-02-{number:02}"
    return [
        ("get_subscription", {"subscription_id": name}, {"subscription_id": name, "plan_id": "PL-9", "ends": ends}),
        ("list_plans", {}, PLANS),
        ("change_plan", {"subscription_id": name, "plan_id": plan["plan_id"]}, {**plan, "ends": ends}),
    ]


def test_what_the_row_does_not_tell_comes_from_the_record_that_the_call_names() -> None:
    session = mocker(*(change(number) for number in range(10, 26))).session()
    for name, arguments, _ in change(12)[:2]:
        session.call(name, arguments)
    answer = session.call("change_plan", {"subscription_id": "SUB-12", "plan_id": "PL-3"})
    assert answer.result == {"plan_id": "PL-3", "price": 25, "ends": "2026-02-12"}
